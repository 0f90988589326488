import { changeOf } from "./ask-extra.ts";
import type { ChangeSize } from "./ask-extra.ts";

/** Kind of work that a call does. It decides how the call is displayed. */
export type CallKind =
  | "command"
  | "change"
  | "look"
  | "web"
  | "task"
  | "list"
  | "question"
  | "other";

const kinds: Readonly<Record<string, CallKind>> = {
  shell: "command",
  edit: "change",
  write: "change",
  append: "change",
  read: "look",
  list: "look",
  grep: "look",
  glob: "look",
  search: "look",
  fetch: "web",
  task: "task",
  send: "task",
  child: "task",
  background: "task",
  todo: "list",
  askUser: "question",
  ask: "question",
};

export function callKind(name: string): CallKind {
  return kinds[name] ?? "other";
}

/** Returns the most informative part of a call's input, in one line. */
export function callTitle(input: unknown): string {
  if (typeof input === "string") return firstLine(input);
  if (typeof input !== "object" || input === null) return "";
  const fields = new Map(Object.entries(input));
  for (const name of telling) {
    const value: unknown = fields.get(name);
    if (typeof value === "string" && value !== "") return firstLine(value);
  }
  const first = [...fields.values()].find((value) => typeof value === "string" && value !== "");
  return typeof first === "string" ? firstLine(first) : "";
}

const telling = [
  "command",
  "path",
  "pattern",
  "url",
  "description",
  "title",
  "question",
  "prompt",
  "instruction",
];

function firstLine(text: string): string {
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/** The fields of a tool's `extra` that clients can show. */
export interface KnownExtra {
  readonly diff: string | null;
  /** Lines that the change added and removed, counted by the server. */
  readonly change: ChangeSize | null;
  readonly exitCode: number | null;
  readonly todo: readonly { readonly text: string; readonly status: string }[] | null;
}

export function knownExtra(extra: unknown): KnownExtra {
  const fields: Record<string, unknown> =
    typeof extra === "object" && extra !== null ? { ...extra } : {};
  const { diff, change, exitCode, todo } = fields;
  return {
    diff: typeof diff === "string" && diff !== "" ? diff : null,
    change: changeOf(change),
    exitCode: typeof exitCode === "number" ? exitCode : null,
    todo: Array.isArray(todo) ? todo.filter(isTodo) : null,
  };
}

function isTodo(item: unknown): item is { text: string; status: string } {
  return typeof item === "object" && item !== null && "text" in item && "status" in item;
}
