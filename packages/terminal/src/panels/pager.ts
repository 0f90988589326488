import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Look } from "../screen/look.ts";
import type { Output } from "../screen/screen.ts";
import { fit, guarded, oneLine } from "../screen/text.ts";

export interface PagerOptions {
  readonly output: Output;
  readonly look: Look;
  readonly title: string;
  /** Returns the lines for a width. Called again after a resize. */
  lines(columns: number): readonly string[];
  /** True: show the end of the text first. */
  readonly isAtEnd: boolean;
  /** Returns the index of the line that is at the top when the pager opens. */
  readonly top?: (columns: number) => number;
  /** Called when the last line is on the screen. */
  readonly onEnd?: () => void;
  onClose(): void;
}

/** Sequence that returns from the alternate screen to the main screen. */
export const leaveAlternate = "\u001b[?1049l\u001b[?25h";

/** Shows a long text on the alternate screen. The text leaves no trace in the scrollback. */
export class Pager {
  readonly kind = "pager";
  readonly #options: PagerOptions;
  #lines: readonly string[];
  #top = 0;

  constructor(options: PagerOptions) {
    this.#options = options;
    this.#lines = options.lines(this.#columns);
    const top = options.top?.(this.#columns) ?? (options.isAtEnd ? Infinity : 0);
    this.#top = Math.min(top, this.#last);
    options.output.write("\u001b[?1049h\u001b[?25l");
    this.#paint();
  }

  get #columns(): number {
    return Math.max(1, this.#options.output.columns);
  }

  /** Number of rows for the text. The last row of the screen is the status line. */
  get #height(): number {
    return Math.max(1, this.#options.output.rows - 1);
  }

  get #last(): number {
    return Math.max(0, this.#lines.length - this.#height);
  }

  resize(): void {
    this.#lines = this.#options.lines(this.#columns);
    this.#move(0);
  }

  take(key: string): void {
    if (
      ["q", "\u001b", "\u0003", "\u000f"].includes(key) ||
      matchesKey(key, "escape") ||
      matchesKey(key, "ctrl+o")
    ) {
      this.#options.output.write(leaveAlternate);
      return this.#options.onClose();
    }
    if (matchesKey(key, "up") || key === "k") this.#move(-1);
    else if (matchesKey(key, "down") || key === "j" || matchesKey(key, "enter")) this.#move(1);
    else if (matchesKey(key, "pageUp") || key === "b") this.#move(-this.#height);
    else if (matchesKey(key, "pageDown") || key === " ") this.#move(this.#height);
    else if (matchesKey(key, "home") || key === "g") this.#move(-Infinity);
    else if (matchesKey(key, "end") || key === "G") this.#move(Infinity);
  }

  #move(by: number): void {
    this.#top = Math.max(0, Math.min(this.#last, this.#top + by));
    this.#paint();
  }

  #paint(): void {
    const { look, title, output } = this.#options;
    const shown = this.#lines.slice(this.#top, this.#top + this.#height);
    const rows = shown.map((line) => fit(guarded(line), this.#columns));
    const end = Math.min(this.#lines.length, this.#top + this.#height);
    const place = `${oneLine(title)} · ${end} of ${this.#lines.length} · ↑↓ PgUp PgDn g G · q closes`;
    const blank = Array.from({ length: this.#height - rows.length }, () => "");
    const text = [...rows, ...blank, look.selected(fit(place, this.#columns))]
      .map((row) => `\u001b[2K${row}`)
      .join("\r\n");
    output.write(`\u001b[?2026h\u001b[H${text}\u001b[?2026l`);
    if (end === this.#lines.length) this.#options.onEnd?.();
  }
}
