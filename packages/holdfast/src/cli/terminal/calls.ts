import type { Call, ToolContent, ToolStatus, WireEvent } from "@holdfast/sdk";
import { oneLine } from "./printable.ts";

/** What is known of tool calls by their ids, to show each by its name and what it is about. */
export interface CallBook {
  /** Notes what an event says of calls, without a word about it. */
  take(event: WireEvent): void;
  /** Notes an answer's calls; answers each as a line. */
  asked(calls: readonly Pick<Call, "callId" | "name" | "input">[]): readonly string[];
  /** The call's end as a line. */
  ended(end: EndedCall): string;
}

export interface EndedCall {
  readonly callId: string;
  readonly status: ToolStatus;
  readonly content: ToolContent | null;
}

interface KnownCall {
  readonly title: string;
  /** What it was about to do, where it had to say that beforehand. */
  intent: string | null;
}

export function createCallBook(): CallBook {
  const calls = new Map<string, KnownCall>();
  const asked: CallBook["asked"] = (requests) =>
    requests.map(({ callId, name, input }) => {
      const title = `${oneLine(name, 60)}${subjectOf(input)}`;
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
    ? "in doubt: it may have acted before the crash, and is not run again"
    : `in doubt: it was about to ${oneLine(intent, 200)} when its process ended; it is not run again`;
}

/** What names a call best, under the names that inputs have for it. */
const subjects = ["path", "command", "pattern", "url", "question", "title", "sessionId", "text"];

function subjectOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const fields: Partial<Record<string, unknown>> = { ...input };
  const subject = subjects.map((name) => fields[name]).find((value) => typeof value === "string");
  return typeof subject === "string" && subject !== "" ? ` ${oneLine(subject, 80)}` : "";
}

/** A change by its size, anything else by its last words or its first. */
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
  // The tool's own remarks about a command stand in brackets.
  const lines = output
    .split("\n")
    .filter((line) => line.trim() !== "" && !(isCommand && line.startsWith("[")));
  // A command says at its end how it went; everything else begins with what matters.
  const line = (isCommand ? lines.at(-1) : lines[0]) ?? "";
  const more = lines.length > 1 ? ` (${lines.length} lines)` : "";
  const exit = isCommand && exitCode !== 0 ? `exit code ${exitCode}: ` : "";
  return `${exit}${oneLine(line, 100)}${more}`;
}

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
