import { Markdown } from "@earendil-works/pi-tui/dist/components/markdown.js";
import type { MarkdownTheme } from "@earendil-works/pi-tui/dist/components/markdown.js";
import { setCapabilities } from "@earendil-works/pi-tui/dist/terminal-image.js";
import type { Look } from "../screen/look.ts";
import { printable, wrap } from "../screen/text.ts";
import type { Highlight } from "./highlight.ts";
import type { Piece } from "./markdown-stream.ts";

// Without hyperlinks the address of a link is printed, so people see where it leads.
setCapabilities({ images: null, trueColor: false, hyperlinks: false });

/** Renders one part of an answer as rows, without blank rows around it. */
export function renderPiece(
  piece: Piece,
  options: { look: Look; columns: number; highlight: Highlight },
): string[] {
  const { look, columns, highlight } = options;
  if (piece.kind === "code") {
    const code = printable(piece.lines.join("\n"));
    const lines = piece.lines.length === 0 ? [] : highlight(code, piece.language);
    return lines.flatMap((line) => wrap(line, columns - 2)).map((line) => `  ${line}`);
  }
  const markdown = new Markdown(
    printable(cutLines(piece.source)),
    0,
    0,
    themeOf(look, highlight),
    undefined,
    {
      renderLatex: false,
    },
  );
  return trimBlank(markdown.render(Math.max(1, columns)).map((line) => line.trimEnd()));
}

/** Cuts huge lines, because parsing and wrapping them is slow. */
function cutLines(source: string): string {
  if (source.length < longest) return source;
  return source
    .split("\n")
    .map((line) => (line.length > longest ? `${line.slice(0, longest)}… (line cut)` : line))
    .join("\n");
}

const longest = 64_000;

function themeOf(look: Look, highlight: Highlight): MarkdownTheme {
  return {
    heading: (text) => look.bold(look.heading(text)),
    link: look.underline,
    linkUrl: look.dim,
    code: look.code,
    codeBlock: (text) => text,
    codeBlockBorder: look.dim,
    quote: look.italic,
    quoteBorder: look.dim,
    hr: look.dim,
    listBullet: look.accent,
    bold: look.bold,
    italic: look.italic,
    strikethrough: look.strike,
    underline: look.underline,
    highlightCode: (code, language) => [...highlight(code, language ?? "")],
  };
}

function trimBlank(lines: readonly string[]): string[] {
  const begin = lines.findIndex((line) => !isBlank(line));
  if (begin === -1) return [];
  return lines.slice(begin, lines.findLastIndex((line) => !isBlank(line)) + 1);
}

function isBlank(line: string): boolean {
  // oxlint-disable-next-line no-control-regex -- styles begin with a control character
  return line.replaceAll(/\u001b\[[0-9;]*m/g, "").trim() === "";
}
