import type { Call, ToolContent, ToolStatus, WireEvent } from "@holdfast/sdk";
import { hostedNote, hostedNoteLines } from "@holdfast/model/hosted-note.ts";
import { oneLine } from "./printable.ts";

/** Remembers tool calls by id, to show each with its name and subject. */
export interface CallBook {
  /** Remembers the tool calls that an event contains. */
  take(event: WireEvent): void;
  /** Records the calls of an answer; returns a line for each. */
  asked(calls: readonly Pick<Call, "callId" | "name" | "input">[]): readonly string[];
  /** Returns a line about the end of the call. */
  ended(end: EndedCall): string;
}

export interface EndedCall {
  readonly callId: string;
  readonly status: ToolStatus;
  readonly content: ToolContent | null;
}

interface KnownCall {
  readonly title: string;
  /** Description of the planned effect, if the tool stored one before it acted. */
  intent: string | null;
}

export function createCallBook(): CallBook {
  const calls = new Map<string, KnownCall>();
  const asked: CallBook["asked"] = (requests) =>
    requests.map(({ callId, name, input }) => {
      const notes = hostedNoteLines(hostedNote({ name, input }));
      const remarks = notes.map((line) => ` · ${oneLine(line, 400)}`).join("");
      const title = `${oneLine(name, 60)}${subjectOf(input)}${remarks}`;
      calls.set(callId, { title, intent: null });
      return title;
    });
  return {
    asked,
    take: (event) => {
      if (event.type === "step.answered") asked(event.content?.calls ?? []);
      if (event.type === "tool.ended") calls.delete(event.callId);
      if (event.type !== "tool.started" || event.content === null) return;
      const call = calls.get(event.callId);
      if (call !== undefined) call.intent = event.content.summary;
    },
    ended: ({ callId, status, content }) => {
      const { title, intent } = calls.get(callId) ?? { title: callId, intent: null };
      calls.delete(callId);
      const result = status === "inDoubt" ? "" : resultOf(content);
      const word = status === "inDoubt" ? doubt(intent) : words[status];
      return `${marks[status]} ${title}${word === "" ? "" : ` ${word}`}${result === "" ? "" : `  ${result}`}`;
    },
  };
}

const marks: Readonly<Record<ToolStatus, string>> = {
  completed: "✓",
  failed: "✗",
  denied: "✗",
  interrupted: "■",
  inDoubt: "?",
};

const words: Readonly<Record<Exclude<ToolStatus, "inDoubt">, string>> = {
  completed: "",
  failed: "failed",
  denied: "denied",
  interrupted: "interrupted",
};

function doubt(intent: string | null): string {
  return intent === null
    ? "in doubt: it may have acted before the crash; it is not run again"
    : `in doubt: it was about to ${oneLine(intent, 200)} when its process ended; it is not run again`;
}

/** Input fields that describe a call, best first. */
const subjects = [
  "command",
  "path",
  "pattern",
  "url",
  "question",
  "title",
  "sessionId",
  "text",
  "prompt",
];

function subjectOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const fields: Partial<Record<string, unknown>> = { ...input };
  const subject = subjects.map((name) => fields[name]).find((value) => typeof value === "string");
  return typeof subject === "string" && subject !== "" ? ` ${oneLine(subject, 80)}` : "";
}

/** The diff of a changed file; null if the call has changed none. */
export function diffOf(content: ToolContent | null): string | null {
  const { diff } = fieldsOf(content?.extra ?? null);
  return typeof diff === "string" && diff !== "" ? diff : null;
}

/** Summary of a result: line counts of a change, otherwise the last or first line of the output. */
function resultOf(content: ToolContent | null): string {
  const { output = "", extra = null } = content ?? {};
  const { diff, exitCode } = fieldsOf(extra);
  if (typeof diff === "string") {
    const lines = diff.split("\n");
    const count = (sign: string): number =>
      lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
    return `+${count("+")} −${count("-")}`;
  }
  const isCommand = typeof exitCode === "number";
  // Lines in brackets are the tool's own remarks about a command.
  const lines = output
    .split("\n")
    .filter((line) => line.trim() !== "" && !(isCommand && line.startsWith("[")));
  // The last line of a command's output is the most useful one; for other tools it is the first.
  const line = (isCommand ? lines.at(-1) : lines[0]) ?? "";
  const more = lines.length > 1 ? ` (${lines.length} lines)` : "";
  const exit = isCommand && exitCode !== 0 ? `exit code ${exitCode}: ` : "";
  return `${exit}${oneLine(line, 100)}${more}`;
}

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
