import { Editor } from "@earendil-works/pi-tui/dist/components/editor.js";
import type { SelectListTheme } from "@earendil-works/pi-tui/dist/components/select-list.js";
import { CURSOR_MARKER } from "@earendil-works/pi-tui/dist/tui.js";
import type { TUI } from "@earendil-works/pi-tui/dist/tui.js";
import type { Look } from "../screen/look.ts";
import { fit, visibleWidth } from "../screen/text.ts";

// oxlint-disable-next-line no-control-regex -- styles begin with a control character
const drawnCursor = /^\u001b\[7m(.*?)\u001b\[0m/su;

const shortBorder = 16;

/** Rows of the editor, and the position of the cursor in them. */
export interface EditorRows {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number } | null;
}

/** Text that is edited in place of the draft. */
export interface Editing {
  readonly label: string;
  readonly text: string;
  /** The draft to restore when the edit ends. */
  readonly draft: string;
  readonly save: (text: string) => Promise<void>;
}

/** A multi-line input with paste, history and completion. */
export class PromptEditor extends Editor {
  /** Text in the top border, such as the question that the input answers. */
  label = "";
  #look: Look;

  constructor(look: Look, host: { readonly rows: number; requestRender(): void }) {
    const tui = {
      requestRender: () => host.requestRender(),
      terminal: {
        get rows() {
          return host.rows;
        },
      },
    };
    super(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the editor uses only these two
      tui as unknown as TUI,
      { borderColor: look.dim, selectList: selectTheme(look) },
      { paddingX: 2 },
    );
    this.#look = look;
    this.focused = true;
  }

  setLook(look: Look): void {
    this.#look = look;
    this.borderColor = look.dim;
  }

  protected override renderTopBorder(width: number, hidden: number): string {
    const more = hidden > 0 ? `↑ ${hidden} more` : "";
    const words = [this.label, more].filter((part) => part !== "").join(" · ");
    if (words === "") return this.borderColor("─".repeat(width));
    const text = fit(words, width - 4);
    const rest = "─".repeat(Math.max(0, width - visibleWidth(text) - 4));
    return `${this.borderColor("─")} ${text} ${this.borderColor(`─${rest}`)}`;
  }

  /** Draws a short border, because a resize must not wrap rows below the cursor (S4 in `screen.ts`). */
  protected override renderBottomBorder(width: number, hidden: number): string {
    const words = hidden > 0 ? ` ↓ ${hidden} more ` : "";
    return this.borderColor(fit(`${"─".repeat(shortBorder)}${words}`, width));
  }

  /** Returns the rows without a drawn cursor, because the terminal's own cursor is used. */
  renderRows(columns: number): EditorRows {
    let cursor: EditorRows["cursor"] = null;
    const rows = this.render(columns).map((row, index) => {
      const text = index === 1 ? `${this.#look.accent("❯")}${row.slice(1)}` : row;
      const at = text.indexOf(CURSOR_MARKER);
      if (at === -1) return text.trimEnd();
      const before = text.slice(0, at);
      cursor = { row: index, column: visibleWidth(before) };
      const after = text.slice(at + CURSOR_MARKER.length);
      return (before + after.replace(drawnCursor, "$1")).trimEnd();
    });
    return { rows, cursor };
  }
}

function selectTheme(look: Look): SelectListTheme {
  return {
    selectedPrefix: look.accent,
    selectedText: look.accent,
    description: look.dim,
    scrollInfo: look.dim,
    noMatch: look.dim,
  };
}
