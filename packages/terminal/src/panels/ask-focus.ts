import type { OpenAsk } from "../session/session-view.ts";
import { AskDialog } from "./ask-dialog.ts";

/**
 * An ask gets the focus only after it was on the screen for this many milliseconds without a key press, so that a key
 * typed for the editor or for the ask before does not answer it.
 */
const quietTime = 1_000;

/** The ask on the screen, and whether it has the focus. */
export class AskFocus {
  dialog: AskDialog | null = null;
  hasKeys = false;
  /** Whether the window has room for the question and the keys. Without room, the ask never gets the focus. */
  hasRoom = false;
  /** Returns true if nothing else has the focus, so that the ask may get it. */
  readonly #isFree: () => boolean;
  readonly #onChange: () => void;
  #timer: NodeJS.Timeout | null = null;
  #keyAt = 0;
  #shownAt = 0;

  constructor(options: { isFree: () => boolean; onChange: () => void }) {
    this.#isFree = options.isFree;
    this.#onChange = options.onChange;
  }

  /** Shows the ask in a dialog. If the ask is already shown, its dialog stays. */
  show(ask: OpenAsk | undefined): void {
    const shown = this.dialog?.ask;
    // The id of an ask is unique only in its session.
    if (ask?.askId === shown?.askId && ask?.sessionId === shown?.sessionId) return;
    this.dialog = ask === undefined ? null : new AskDialog(ask);
    this.hasKeys = false;
    this.hasRoom = false;
  }

  /** Called after each drawing of the ask. If the window has become too low, the ask loses the focus. */
  noteRoom(hasRoom: boolean): void {
    const isNew = hasRoom && !this.hasRoom;
    this.hasRoom = hasRoom;
    if (!hasRoom) this.hasKeys = false;
    if (!isNew) return;
    this.#shownAt = performance.now();
    this.#focusWhenQuiet();
  }

  /** Records a key press. An open ask gets the focus only after a pause in typing. */
  noteKey(): void {
    this.#keyAt = performance.now();
    if (this.dialog !== null && !this.hasKeys) this.#focusWhenQuiet();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #focusWhenQuiet(): void {
    this.close();
    const { dialog } = this;
    const quietSince = Math.max(this.#keyAt, this.#shownAt);
    const wait = Math.max(0, quietSince + quietTime - performance.now());
    this.#timer = setTimeout(() => {
      if (dialog === null || this.dialog !== dialog) return;
      if (!this.hasRoom || !this.#isFree()) return;
      this.hasKeys = true;
      this.#onChange();
    }, wait);
  }
}
