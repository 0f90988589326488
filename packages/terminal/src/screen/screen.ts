import { fit, guarded, visibleWidth } from "./text.ts";

/**
 * The live region: the rows below the printed text that are redrawn, with the growing answer, panels, editor and
 * status.
 */
export interface Frame {
  readonly rows: readonly string[];
  /** Position of the cursor in these rows; null: hidden. */
  readonly cursor: { readonly row: number; readonly column: number } | null;
}

/** The part of a terminal's output stream that the screen uses. */
export interface Output {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

/** Number of rows that a live region needs for the panels, the editor and the status line. */
const usefulRows = 18;

/**
 * Prints finished text once, into the terminal's own scrollback, and redraws a small live region
 * below it. It never erases above the live region, so the shell's lines and the scrollback stay.
 *
 * S1 `shown` are the rows on the terminal, and `at` is the position of the cursor in them.
 * S2 No row is wider than the terminal, so that each takes one line until the next resize.
 * S3 After a resize the terminal has wrapped the old rows, so the number of their lines is calculated again.
 * S4 When a terminal wraps rows, it moves the cursor down by the number of added lines. Some terminals also count lines
 *    that were added below the cursor, and so move it too far. To avoid this, the rows below the cursor are short and
 *    never wrap, and a hidden cursor stays in the last row. If the cursor is too low anyway, the first row of the live
 *    region is not erased. This row is always empty, so the user sees no difference.
 * S5 If the window becomes lower than the live region, the terminal moves the region's first rows into its scrollback,
 *    where no program can erase them. So the region uses only a part of the window (`safeRows`). When the window grows
 *    again, some terminals move these rows back to the screen. `lost` is their number, so that they can be erased.
 */
export class Screen {
  readonly #output: Output;
  #shown: readonly string[] = [];
  #at = { row: 0, column: 0 };
  #isCursorShown = true;
  #columns: number;
  #rows: number;
  #pending: string[] = [];
  /** Number of rows of the live region that were moved into the scrollback, directly above the rows that are shown. */
  #lost = 0;

  constructor(output: Output) {
    this.#output = output;
    this.#columns = output.columns;
    this.#rows = output.rows;
  }

  get columns(): number {
    return Math.max(1, this.#output.columns);
  }

  get rows(): number {
    return Math.max(1, this.#output.rows);
  }

  /**
   * Maximum height of the region that is redrawn, so that the region still fits after one resize (S5). Normally half of
   * the window, because splitting a terminal pane takes half of its rows. If the panels need more (`usefulRows`), up to
   * three quarters, which still fits only if the window loses at most a quarter of its rows.
   */
  get safeRows(): number {
    const half = Math.floor((this.rows - 1) / 2);
    return Math.max(half, Math.min(usefulRows, this.rows - Math.floor(this.rows / 4)));
  }

  /** Adds lines above the live region. They appear with the next paint. */
  print(lines: readonly string[]): void {
    this.#pending.push(...lines);
  }

  paint(frame: Frame): void {
    const rows = this.#fitting(frame);
    // Redraw everything after a resize: a terminal that loses height may have dropped rows below the cursor.
    const isResized = this.#columns !== this.#output.columns || this.#rows !== this.#output.rows;
    const isWhole = isResized || this.#pending.length > 0 || this.#shown.length === 0;
    const text = isWhole ? this.#whole(rows) : this.#changes(rows);
    const placed = this.#place(rows, frame, text);
    if (placed !== "") this.#output.write(`\u001b[?2026h${placed}\u001b[?2026l`);
  }

  /** Draws everything again at the next paint, for example after another program used the terminal. */
  forget(): void {
    this.#shown = [];
    this.#lost = 0;
    this.#at = { row: 0, column: 0 };
    this.#isCursorShown = true;
  }

  /** Draws the live region again, for example because another program has written over it. */
  repaint(): void {
    this.#output.write(`${moveUp(this.#at.row)}\r${eraseBelow}`);
    this.forget();
  }

  /** Erases the live region and prints the pending lines. */
  clear(): void {
    const text = this.#whole([]);
    this.#output.write(`${text}\u001b[?25h`);
    this.forget();
  }

  /** Returns the rows that fit into the terminal. If there are too many, drops rows from the top. */
  #fitting(frame: Frame): readonly string[] {
    const surplus = Math.max(0, frame.rows.length - this.rows);
    return frame.rows.slice(surplus).map((row) => fit(guarded(row), this.columns));
  }

  #whole(rows: readonly string[]): string {
    const up = this.#heightAbove();
    this.#columns = this.#output.columns;
    this.#rows = this.#output.rows;
    const printed = this.#pending.map((line) => `${guarded(line)}\r\n`).join("");
    // `lost` counts rows that scrolled off the screen but can still be erased. After new lines were printed below those
    // rows, the rows can no longer be erased.
    if (printed !== "") this.#lost = 0;
    this.#pending = [];
    this.#shown = rows;
    this.#at = { row: Math.max(0, rows.length - 1), column: 0 };
    return `${moveUp(up)}\r${eraseBelow}${printed}${rows.join("\r\n")}`;
  }

  /**
   * Number of lines to move the cursor up, to the top of the live region. Includes the rows that were moved into the
   * scrollback, because the terminal may have moved them back to the screen. If it has not, the number is too high,
   * which does no harm: the cursor stops at the top of the screen, and there the rest of the live region begins.
   */
  #heightAbove(): number {
    const own = this.#wrappedHeight();
    const up = Math.min(own + this.#lost, this.rows - 1);
    const grown = this.rows - this.#rows;
    const pushed = Math.max(0, own - (this.rows - 1));
    this.#lost = Math.max(0, this.#lost - Math.max(0, grown)) + pushed;
    return up;
  }

  #wrappedHeight(): number {
    if (this.#columns === this.#output.columns) return this.#at.row;
    const height = (row: string): number =>
      Math.max(1, Math.ceil(visibleWidth(row) / this.columns));
    const above = this.#shown.slice(0, this.#at.row).reduce((sum, row) => sum + height(row), 0);
    return above + Math.floor(this.#at.column / this.columns);
  }

  #changes(rows: readonly string[]): string {
    let text = "";
    let row = this.#at.row;
    const shown = this.#shown;
    for (const [index, line] of rows.entries()) {
      if (index < shown.length && line === shown[index]) continue;
      if (index >= shown.length) {
        const last = Math.max(row, shown.length - 1);
        text += `${moveDown(last - row)}${"\r\n".repeat(index - last)}`;
      } else {
        text += moveBy(index - row);
      }
      row = index;
      text += `\r\u001b[2K${line}`;
    }
    if (rows.length < shown.length) {
      // Erase the rows that are no longer needed.
      text += `${moveBy(rows.length - row)}\r${eraseBelow}`;
      row = rows.length;
    }
    this.#shown = rows;
    if (text !== "") this.#at = { row, column: 0 };
    return text;
  }

  #place(rows: readonly string[], frame: Frame, text: string): string {
    const surplus = frame.rows.length - rows.length;
    const row = frame.cursor === null ? -1 : frame.cursor.row - surplus;
    if (frame.cursor === null || row < 0) {
      const hide = this.#isCursorShown ? "\u001b[?25l" : "";
      this.#isCursorShown = false;
      const last = Math.max(0, rows.length - 1);
      const move = last === this.#at.row ? "" : `${moveBy(last - this.#at.row)}\r`;
      this.#at = { row: last, column: 0 };
      return `${text}${move}${hide}`;
    }
    const column = Math.min(frame.cursor.column, this.columns - 1);
    const isThere = text === "" && row === this.#at.row && column === this.#at.column;
    const show = this.#isCursorShown ? "" : "\u001b[?25h";
    if (isThere && show === "") return "";
    const move = `${moveBy(row - this.#at.row)}\r${column > 0 ? `\u001b[${column}C` : ""}`;
    this.#at = { row, column };
    this.#isCursorShown = true;
    return `${text}${move}${show}`;
  }
}

/**
 * Erases the cursor's row and all rows below it. If a program erases everything from the top left corner of the screen
 * on, tmux copies the screen into the scrollback. To avoid this, erase the row, move one column to the right, and erase
 * everything from there.
 */
const eraseBelow = "\u001b[2K\u001b[1C\u001b[J\r";

function moveBy(rows: number): string {
  return rows < 0 ? moveUp(-rows) : moveDown(rows);
}

function moveUp(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : "";
}

function moveDown(rows: number): string {
  return rows > 0 ? `\u001b[${rows}B` : "";
}
