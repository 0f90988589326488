import { decodePrintableKey, matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import { matchScore } from "@holdfast/model/match.ts";
import type { Look } from "../screen/look.ts";
import { pastedText } from "../screen/keyboard.ts";
import { fit, justify, oneLine, printable } from "../screen/text.ts";

export interface PickerItem<Value> {
  readonly value: Value;
  readonly label: string;
  /** The label in parts; matches are printed in bold. */
  readonly parts?: readonly { readonly text: string; readonly isMatch: boolean }[];
  /** Text at the right edge, such as a status or an age. */
  readonly detail: string;
  /** Additional text that the search matches, besides the label. */
  readonly words?: string;
  readonly isUrgent?: boolean;
}

/** A list to choose from. Typing filters the list; some lists have extra keys for other actions. */
export class Picker<Value> {
  readonly #options: PickerOptions<Value>;
  #items: readonly PickerItem<Value>[];
  #search = "";
  #at = 0;
  #empty: string;

  constructor(options: PickerOptions<Value>) {
    this.#options = options;
    this.#items = options.items;
    this.#empty = options.empty;
    this.#search = options.search ?? "";
  }

  /** Replaces the items and keeps the selected one. `empty`: the text to show if there are no items. */
  setItems(items: readonly PickerItem<Value>[], empty = this.#empty): void {
    const selected = this.selected;
    this.#items = items;
    this.#empty = empty;
    const place = this.#found().findIndex(
      ({ value }) => this.#options.isSame?.(value, selected) === true,
    );
    this.#at = place === -1 ? Math.min(this.#at, Math.max(0, this.#found().length - 1)) : place;
  }

  get selected(): Value | null {
    return this.#found()[this.#at]?.value ?? null;
  }

  take(key: string): void {
    const found = this.#found();
    if (matchesKey(key, "escape") || matchesKey(key, "ctrl+c")) return this.#options.onClose();
    if (matchesKey(key, "enter")) {
      const chosen = found[this.#at];
      return chosen === undefined ? undefined : this.#options.onChoose(chosen.value);
    }
    if (matchesKey(key, "up") || matchesKey(key, "ctrl+p")) this.#move(-1, found.length);
    else if (matchesKey(key, "down") || matchesKey(key, "ctrl+n")) this.#move(1, found.length);
    else if (matchesKey(key, "pageUp")) this.#move(-pageRows, found.length);
    else if (matchesKey(key, "pageDown")) this.#move(pageRows, found.length);
    else if (matchesKey(key, "backspace")) this.#setSearch(this.#search.replace(/.$/su, ""));
    else if (matchesKey(key, "ctrl+u")) this.#setSearch("");
    else {
      const typed = pastedText(key) ?? decodePrintableKey(key) ?? (key >= " " ? key : "");
      if (typed !== "" && !typed.startsWith("\u001b"))
        this.#setSearch(this.#search + printable(typed).replaceAll("\n", " "));
    }
  }

  #move(by: number, count: number): void {
    if (count === 0) return;
    const step = Math.abs(by) === 1;
    const next = this.#at + by;
    this.#at = step ? (next + count) % count : Math.max(0, Math.min(count - 1, next));
  }

  #setSearch(search: string): void {
    this.#search = search.slice(0, 200);
    this.#at = 0;
    this.#options.onType?.(this.#search);
  }

  #found(): readonly PickerItem<Value>[] {
    if (this.#search.trim() === "" || this.#options.onType !== undefined) return this.#items;
    return this.#items
      .map((item) => ({
        item,
        score: matchScore(`${item.label} ${item.words ?? ""}`, this.#search),
      }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .map(({ item }) => item);
  }

  rows({ look, columns, height }: { look: Look; columns: number; height: number }): PickerRows {
    const found = this.#found();
    const room = Math.max(1, Math.min(pageRows, height - 4));
    const begin = Math.max(0, Math.min(this.#at - Math.floor(room / 2), found.length - room));
    const list = found.slice(begin, begin + room).map((item, index) => {
      const isSelected = begin + index === this.#at;
      const text = `${isSelected ? "❯" : " "} ${labelOf(item, look)}`;
      const detail = oneLine(item.detail);
      if (isSelected) return look.selected(justify(text, detail, columns));
      return justify(text, item.isUrgent === true ? look.warn(detail) : look.dim(detail), columns);
    });
    // Draw a cursor as a character, and hide the terminal's own cursor. If long rows follow below, some terminals move
    // their own cursor to a wrong row when the window is resized (S4 in `screen.ts`).
    const head = `${look.bold(this.#options.title)} ${this.#search}${look.dim("▏")}`;
    const empty = this.#items.length === 0 ? this.#empty : "Nothing matches";
    const rows = [
      look.dim("─".repeat(columns)),
      fit(head, columns),
      ...(list.length === 0 ? [look.dim(`  ${empty}`)] : list),
      look.dim(fit(this.#options.hint ?? "Enter chooses · type to search · Esc closes", columns)),
    ];
    return { rows, cursor: null };
  }
}

const pageRows = 10;

function labelOf({ label, parts }: PickerItem<unknown>, look: Look): string {
  if (parts === undefined) return oneLine(label);
  const painted = parts.map(({ text, isMatch }) => {
    const safe = printable(text.slice(0, 2_000)).replaceAll(/\s+/g, " ");
    return isMatch ? look.bold(safe) : safe;
  });
  return painted.join("").trim();
}

export interface PickerOptions<Value> {
  readonly title: string;
  readonly items: readonly PickerItem<Value>[];
  /** Text to show if there are no items. */
  readonly empty: string;
  readonly hint?: string;
  /** Initial search text of the list. */
  readonly search?: string;
  /**
   * Called with the typed text. If given, the caller must replace the items, because the list does not filter them
   * itself.
   */
  readonly onType?: (typed: string) => void;
  readonly isSame?: (one: Value, other: Value | null) => boolean;
  onChoose(value: Value): void;
  onClose(): void;
}

export interface PickerRows {
  readonly rows: readonly string[];
  readonly cursor: null;
}
