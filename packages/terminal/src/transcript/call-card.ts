import { callKind, callTitle, knownExtra } from "@holdfast/model/call-title.ts";
import type { CallKind } from "@holdfast/model/call-title.ts";
import type { CallView } from "@holdfast/model/conversation.ts";
import { diffLines } from "@holdfast/model/diff-lines.ts";
import { hostedNote, hostedNoteLines } from "@holdfast/model/hosted-note.ts";
import type { Look } from "../screen/look.ts";
import { coloured, fit, indent, oneLine, printable, wrap, wrapWhole } from "../screen/text.ts";
import { seconds } from "./time-text.ts";

export interface CardOptions {
  readonly look: Look;
  readonly columns: number;
  /** True: all lines of the output, for the transcript view. */
  readonly isWhole: boolean;
}

/** Number of output lines that a finished call shows, by its kind. */
const shownLines: Readonly<Record<CallKind, number>> = {
  command: 8,
  change: 0,
  look: 0,
  web: 0,
  task: 8,
  list: 0,
  question: 2,
  other: 4,
};

const shownDiffLines = 60;

/** Returns the rows of a finished tool call: its title, the end of its output or its diff, and its status. */
export function callCard(call: CallView, options: CardOptions): string[] {
  const { look, columns } = options;
  const head = `${mark(call, look)} ${callHead(call, look)}`;
  const notes = hostedNoteLines(hostedNote(call)).flatMap((line) =>
    wrap(printable(line), columns - 2).map((row) => look.warn(row)),
  );
  const body = [...notes, ...bodyOf(call, options), ...endOf(call, look)];
  return [fit(head, columns), ...indent(body, "  ")];
}

/** Returns the name of the tool and the most informative part of its input. */
export function callHead(call: CallView, look: Look): string {
  const { todo } = knownExtra(call.extra);
  const title = todo === null ? oneLine(callTitle(call.input)) : todoTitle(todo);
  const name = look.bold(oneLine(call.name));
  return title === "" ? name : `${name} ${title}`;
}

function todoTitle(items: readonly { readonly status: string }[]): string {
  const done = items.filter(({ status }) => status === "done").length;
  return `${done} of ${items.length} done`;
}

function mark(call: CallView, look: Look): string {
  switch (call.status) {
    case "completed":
      return (isFailedCommand(call) ? look.bad : look.good)("●");
    case "failed":
    case "denied":
      return look.bad("●");
    case "inDoubt":
    case "interrupted":
      return look.warn("●");
    case "cancelled":
    case "waiting":
    case "running":
      return look.dim("●");
  }
}

function isFailedCommand({ extra }: CallView): boolean {
  const { exitCode } = knownExtra(extra);
  return exitCode !== null && exitCode !== 0;
}

function bodyOf(call: CallView, options: CardOptions): string[] {
  const { diff, todo } = knownExtra(call.extra);
  if (diff !== null) return diffRows(diff, options);
  // While the run is active, the panel shows the list. Printing each version would repeat it many times.
  if (todo !== null) return options.isWhole ? todo.map((item) => todoItem(item, options.look)) : [];
  const isBad = call.status === "failed" || call.status === "denied";
  const usual = shownLines[callKind(call.name)];
  const limit = options.isWhole ? Infinity : isBad ? Math.max(usual, 4) : usual;
  return outputRows(withoutExit(call), { ...options, limit });
}

/** Returns an item of a todo list with a mark for its status. */
export function todoItem(
  { text, status }: { readonly text: string; readonly status: string },
  look: Look,
): string {
  const words = oneLine(text);
  if (status === "done") return look.dim(`☑ ${look.strike(words)}`);
  return status === "active" ? look.accent(`▶ ${words}`) : `☐ ${words}`;
}

/** Returns the output without the tool's line about the exit code, because the card shows the exit code itself. */
function withoutExit({ output, extra }: CallView): string {
  const { exitCode } = knownExtra(extra);
  const lines = output.trimEnd().split("\n");
  // The tool adds remarks in brackets after the command's output.
  const remarks = lines.length - 1 - lines.findLastIndex((line) => !line.startsWith("["));
  const isExit = (line: string, index: number): boolean =>
    index >= lines.length - remarks && line === `[exit code ${exitCode}]`;
  return lines.filter((line, index) => !isExit(line, index)).join("\n");
}

/** Returns the last lines of an output, and the number of hidden lines. */
export function outputRows(
  output: string,
  { look, columns, limit, isWhole }: CardOptions & { limit: number },
): string[] {
  const whole = output.trimEnd();
  if (whole === "" || limit === 0) return [];
  const lines = lastLines(whole, limit);
  const rows = lines.kept.flatMap((line) => {
    const text = (look.hasColours ? coloured : printable)(isWhole ? line : line.slice(0, 4_000));
    return isWhole ? wrap(text, columns - 2) : [fit(text, columns - 2)];
  });
  if (lines.hidden === 0) return rows;
  return [
    look.dim(`… ${lines.hidden} more ${plural(lines.hidden, "line")}, Ctrl-O shows all`),
    ...rows,
  ];
}

function lastLines(text: string, limit: number): { kept: string[]; hidden: number } {
  const lines = text.split("\n");
  const hidden = lines.length > limit ? lines.length - limit : 0;
  return { kept: lines.slice(hidden), hidden };
}

/** Returns a diff as numbered lines. */
export function diffRows(diff: string, { look, columns, isWhole }: CardOptions): string[] {
  const { lines, added, removed, path, paths } = diffLines(diff);
  const shown = isWhole ? lines : lines.slice(0, shownDiffLines);
  const width = String(
    Math.max(1, ...shown.map(({ before, after }) => after ?? before ?? 0)),
  ).length;
  const rows = shown.flatMap(({ kind, text, before, after }) => {
    if (kind === "hunk") return [look.dim("⋯")];
    if (kind === "file") return wrap(printable(text), columns).map((row) => look.bold(row));
    const number = String(after ?? before ?? "").padStart(width);
    const sign = kind === "add" ? "+" : kind === "remove" ? "-" : kind === "note" ? "\\" : " ";
    const paint = kind === "add" ? look.added : kind === "remove" ? look.removed : look.dim;
    const room = Math.max(8, columns - width - 5);
    const [first = "", ...rest] = (isWhole ? wrapWhole : wrap)(printable(text), room);
    return [
      paint(`${number} ${sign} ${first}`),
      ...rest.map((row) => paint(`${" ".repeat(width + 3)}${row}`)),
    ];
  });
  const hidden = lines.length - shown.length;
  return [
    `${look.good(`+${added}`)} ${look.bad(`−${removed}`)}`,
    ...(paths.length > 1 ? wrap(printable(path), columns).map((row) => look.bold(row)) : []),
    ...(rows[0] === look.dim("⋯") ? rows.slice(1) : rows),
    ...(hidden > 0 ? [look.dim(`… ${hidden} more lines of the diff, Ctrl-O shows all`)] : []),
  ];
}

function endOf(call: CallView, look: Look): string[] {
  const words: string[] = [];
  const { exitCode } = knownExtra(call.extra);
  if (exitCode !== null && exitCode !== 0) words.push(look.bad(`exit code ${exitCode}`));
  const hasFailed = call.status === "failed" && words.length > 0;
  if (call.status !== "completed" && !hasFailed) {
    const paint = call.status === "failed" || call.status === "denied" ? look.bad : look.warn;
    words.push(paint(statusTexts[call.status]));
  }
  const { startedAt, endedAt } = call;
  const time = startedAt === null || endedAt === null ? 0 : endedAt - startedAt;
  if (time >= 1_000) words.push(look.dim(seconds(time)));
  return words.length === 0 ? [] : [words.join(look.dim(" · "))];
}

const statusTexts: Readonly<Record<Exclude<CallView["status"], "completed">, string>> = {
  waiting: "waiting",
  running: "running",
  failed: "failed",
  denied: "denied",
  interrupted: "interrupted",
  inDoubt: "result unknown: the server ended while this ran; it is not run again",
  cancelled: "not started",
};

export function plural(count: number, word: string): string {
  return count === 1 ? word : `${word}s`;
}
