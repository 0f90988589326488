import { logOf } from "../main.ts";
import type { CallRequest, IntentBody, LaneEvent, StoreReader, ToolStatus } from "../main.ts";
import { readBodyAs } from "./body-text.ts";
import { oneLine } from "./printable.ts";

/** What is known of tool calls by their ids, to show each by its name and what it is about. */
export interface CallBook {
  /** Reads what a log says of calls that were made before anybody watched. */
  catchUp(sessionId: string): Promise<void>;
  /** Notes an answer's calls; answers each as a line. */
  asked(calls: readonly CallRequest[]): readonly string[];
  started(event: Extract<LaneEvent, { type: "tool.started" }>): Promise<void>;
  ended(event: Extract<LaneEvent, { type: "tool.ended" }>): Promise<string>;
}

interface KnownCall {
  readonly title: string;
  /** What it was about to do, where it had to say that beforehand. */
  intent: string | null;
}

export function createCallBook(store: StoreReader): CallBook {
  const calls = new Map<string, KnownCall>();
  const ask = (requests: readonly CallRequest[]): readonly string[] =>
    requests.map(({ callId, name, input }) => {
      const title = `${name}${subjectOf(input)}`;
      calls.set(callId, { title, intent: null });
      return title;
    });
  const started: CallBook["started"] = async ({ callId, body }) => {
    const call = calls.get(callId);
    const intent = await readBodyAs<IntentBody>(store, body);
    if (call !== undefined && intent !== null) call.intent = intent.summary;
  };
  return {
    asked: ask,
    started,
    catchUp: async (sessionId) => {
      for await (const event of logOf(store, sessionId)) {
        if (event.type === "step.answered" && event.calls.length > 0) {
          const answer = await readBodyAs<{ calls: readonly CallRequest[] }>(store, event.body);
          ask(answer?.calls ?? []);
        }
        if (event.type === "tool.started") await started(event);
        if (event.type === "tool.ended") calls.delete(event.callId);
      }
    },
    ended: async ({ callId, status, body }) => {
      const { title, intent } = calls.get(callId) ?? { title: callId, intent: null };
      calls.delete(callId);
      const content = await readBodyAs<{ output?: string; extra?: unknown }>(store, body);
      const result = status === "inDoubt" ? "" : resultOf(content);
      const word = status === "inDoubt" ? doubt(intent) : words[status];
      return `${marks[status]} ${title}${word === "" ? "" : ` ${word}`}${result === "" ? "" : `  ${result}`}`;
    },
  };
}

export const marks: Readonly<Record<ToolStatus, string>> = {
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
function resultOf(content: { output?: string; extra?: unknown } | null): string {
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
