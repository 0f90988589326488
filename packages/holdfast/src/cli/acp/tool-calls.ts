import { resolve } from "node:path";
import type { Call, ToolContent, ToolStatus, WireEvent } from "@holdfast/sdk";
import { createCallBook } from "../terminal/calls.ts";
import type { EndedCall } from "../terminal/calls.ts";
import { diffBlocks } from "./diff-blocks.ts";
import { fieldsOf } from "../../base/json-rpc.ts";
import { textBlock } from "./protocol.ts";
import type { Terminals } from "./terminals.ts";
import type { Location, PlanEntry, ToolCall, ToolCallContent, ToolKind } from "./protocol.ts";

/**
 * Converts the tool calls of a session for the editor. Holdfast's call ids are unique within a step, the editor's
 * within a session.
 */
export interface ToolCalls {
  asked(answer: Answer): readonly (ToolCall & { readonly title: string })[];
  started(event: EventOf<"tool.started">): ToolCall | null;
  /** Shows the last part of the output that a running call has produced so far. */
  progress(callId: string, output: string): ToolCall | null;
  ended(end: EndedCall): ToolCall | null;
  /** Returns the editor's id of an open call; null if the call is not open. */
  idOf(callId: string): string | null;
}

export type EventOf<Type extends WireEvent["type"]> = Extract<WireEvent, { type: Type }>;

interface Answer {
  readonly runId: string;
  readonly step: number;
  readonly calls: readonly Pick<Call, "callId" | "name" | "input">[];
}

interface Open {
  readonly toolCallId: string;
  readonly kind: ToolKind;
}

/** Number of characters of output to show while a call runs. The result shows the whole output. */
const shownOutput = 4_000;

export function createToolCalls(directory: string, terminals: Terminals | null): ToolCalls {
  const open = new Map<string, Open>();
  const book = createCallBook();
  return {
    idOf: (callId) => open.get(callId)?.toolCallId ?? null,
    asked: ({ runId, step, calls }) => {
      const titles = book.asked(calls);
      return calls.map((call, index) => {
        const kind = kindOf(call.name);
        const toolCallId = `${runId}/${step}/${call.callId}`;
        open.set(call.callId, { toolCallId, kind });
        return {
          toolCallId,
          title: titles[index] ?? call.name,
          kind,
          status: "pending",
          locations: locationsOf(call, directory),
          rawInput: call.input,
          ...(kind === "execute" ? terminals?.opened(toolCallId) : {}),
        };
      });
    },
    started: (event) => {
      book.take(event);
      const call = open.get(event.callId);
      if (call === undefined) return null;
      return { toolCallId: call.toolCallId, status: "in_progress" };
    },
    progress: (callId, output) => {
      const call = open.get(callId);
      if (call === undefined || output === "") return null;
      const { toolCallId, kind } = call;
      if (terminals !== null && kind === "execute") {
        const grown = terminals.grown(toolCallId, output);
        return grown === null ? null : { toolCallId, status: "in_progress", ...grown };
      }
      const content = [textContent(output.slice(-shownOutput), kind)];
      return { toolCallId, status: "in_progress", content };
    },
    ended: (end) => {
      const call = open.get(end.callId);
      const { status, content } = end;
      const line = book.ended(end);
      if (call === undefined) return null;
      open.delete(end.callId);
      const { toolCallId, kind } = call;
      const shown = status === "completed" ? "completed" : "failed";
      const isInTerminal = terminals !== null && kind === "execute" && hasRun(status);
      if (isInTerminal)
        return { toolCallId, status: shown, ...terminals.ended(toolCallId, content) };
      return { toolCallId, status: shown, ...resultOf(content, { status, line, kind, directory }) };
    },
  };
}

/** True if the command ran to its end. Otherwise the editor gets a text that explains the status of the call. */
function hasRun(status: ToolStatus): boolean {
  return status === "completed" || status === "failed";
}

/** Returns the todo list in a tool result; null if there is none. */
export function planOf(content: ToolContent | null): readonly PlanEntry[] | null {
  const { todo } = fieldsOf(content?.extra);
  if (!Array.isArray(todo)) return null;
  return todo.map((item: unknown) => {
    const { text, status } = fieldsOf(item);
    const known = planStatuses.get(String(status)) ?? "pending";
    return { content: String(text), priority: "medium", status: known };
  });
}

const planStatuses: ReadonlyMap<string, PlanEntry["status"]> = new Map([
  ["open", "pending"],
  ["active", "in_progress"],
  ["done", "completed"],
]);

const kinds: ReadonlyMap<string, ToolKind> = new Map([
  ["read", "read"],
  ["list", "search"],
  ["glob", "search"],
  ["grep", "search"],
  ["write", "edit"],
  ["edit", "edit"],
  ["shell", "execute"],
  ["fetch", "fetch"],
  ["todo", "think"],
]);

function kindOf(name: string): ToolKind {
  return kinds.get(name) ?? "other";
}

/** Returns the file that a call is about, from the input field `path` of file tools. */
function locationsOf({ input }: Pick<Call, "input">, directory: string): readonly Location[] {
  const { path } = fieldsOf(input);
  return typeof path === "string" ? [{ path: resolve(directory, path) }] : [];
}

function resultOf(
  content: ToolContent | null,
  call: { status: ToolStatus; line: string; kind: ToolKind; directory: string },
): Pick<ToolCall, "content" | "locations"> {
  const { output = "", extra = null } = content ?? {};
  const { diff } = fieldsOf(extra);
  const blocks = typeof diff === "string" ? diffBlocks(diff, call.directory) : null;
  if (blocks !== null) return blocks;
  // A call that was cut off or denied may have no output: show its status line instead.
  if (call.status !== "inDoubt" && output !== "")
    return { content: [textContent(output, call.kind)] };
  return call.status === "completed"
    ? { content: [] }
    : { content: [textContent(call.line, "other")] };
}

/** Output is shown verbatim in a code block; other text is Markdown. */
export function textContent(text: string, kind: ToolKind): ToolCallContent {
  const shown = kind === "other" || kind === "think" ? text : fenced(text);
  return { type: "content", content: textBlock(shown) };
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, "")}\n${fence}`;
}
