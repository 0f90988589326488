import { fieldsOf } from "../../base/json-rpc.ts";

/** An update that a hosted agent sends about its session, validated and reduced to the parts that Holdfast uses. */
export type Update =
  | { readonly type: "text" | "thought" | "user"; readonly text: string }
  | { readonly type: "call"; readonly call: CallUpdate }
  | { readonly type: "plan"; readonly items: readonly PlanItem[] }
  | { readonly type: "usage"; readonly cost: number | null; readonly context: ContextUse | null };

/** Tokens in the agent's context, and the number of tokens that the context can hold. */
export interface ContextUse {
  readonly used: number;
  readonly size: number;
}

/** Fields of an agent's tool call. In an update, missing fields are unchanged. */
export interface CallUpdate {
  readonly id: string;
  readonly title?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly status?: "pending" | "in_progress" | "completed" | "failed";
  readonly input?: unknown;
  readonly output?: string;
  /** Output of a terminal that the agent shows. Each update contains only the new part. */
  readonly terminal?: string;
  readonly exitCode?: number;
  readonly diffs?: readonly FileDiff[];
  readonly paths?: readonly string[];
}

export interface FileDiff {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

export interface PlanItem {
  readonly text: string;
  readonly status: "open" | "active" | "done";
}

/** Parses an update from the agent. Returns null if its kind is unknown or a required field is missing. */
export function readUpdate(update: unknown): Update | null {
  const fields = fieldsOf(update);
  switch (fields["sessionUpdate"]) {
    case "agent_message_chunk":
      return chunk("text", fields["content"]);
    case "agent_thought_chunk":
      return chunk("thought", fields["content"]);
    case "user_message_chunk":
      return chunk("user", fields["content"]);
    case "tool_call":
    case "tool_call_update": {
      const call = readCall(fields);
      return call === null ? null : { type: "call", call };
    }
    case "plan":
      return { type: "plan", items: readPlan(fields["entries"]) };
    case "usage_update": {
      const [cost, context] = [readCost(fields["cost"]), readContext(fields)];
      return cost === null && context === null ? null : { type: "usage", cost, context };
    }
    default:
      return null;
  }
}

/** Highest cost of a session in dollars, and highest number of tokens, that Holdfast believes. */
const maxCost = 1_000_000;
const maxTokens = 10_000_000_000;

/** Reads the total cost of the agent's session. Null: missing, in another currency, or not a possible amount. */
function readCost(value: unknown): number | null {
  const { amount, currency = "USD" } = fieldsOf(value);
  const isCost = typeof amount === "number" && amount >= 0 && amount <= maxCost;
  return isCost && currency === "USD" ? amount : null;
}

function readContext({ used, size }: Partial<Record<string, unknown>>): ContextUse | null {
  return isTokens(used) && isTokens(size) && size > 0 ? { used, size } : null;
}

/** True for a possible number of tokens. */
export function isTokens(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= maxTokens;
}

function chunk(type: "text" | "thought" | "user", content: unknown): Update | null {
  const text = textOf(content);
  if (text !== "") return { type, text };
  // A prompt that consists only of an image is a message too.
  const { type: kind } = fieldsOf(content);
  return type === "user" && typeof kind === "string" && kind !== "text"
    ? { type, text: `[${kind}]` }
    : null;
}

/** Returns the text of a content block. A link is shown as its address; other kinds have no text. */
function textOf(content: unknown): string {
  const { type, text, uri, resource } = fieldsOf(content);
  if (typeof text === "string") return text;
  if (type === "resource_link" && typeof uri === "string") return uri;
  const { text: inner } = fieldsOf(resource);
  return typeof inner === "string" ? inner : "";
}

const statuses = ["pending", "in_progress", "completed", "failed"] as const;

/** Reads the fields of a tool call from an update or a permission request. */
export function readCall(value: unknown): CallUpdate | null {
  const fields = fieldsOf(value);
  const { toolCallId: id, title, kind, name, rawInput, rawOutput, content, locations } = fields;
  if (typeof id !== "string" || id === "") return null;
  const status = statuses.find((known) => known === fields["status"]);
  const blocks = Array.isArray(content) ? content : null;
  const output = blocks === null ? outputText(rawOutput) : blocksText(blocks);
  const paths = readPaths(locations);
  const { terminal, exitCode } = readTerminal(fields["_meta"]);
  return {
    id,
    ...(typeof title === "string" && title !== "" ? { title: title.slice(0, 500) } : {}),
    ...(typeof kind === "string" ? { kind } : {}),
    ...(typeof name === "string" && name !== "" ? { name } : {}),
    ...(status === undefined ? {} : { status }),
    ...(rawInput === undefined || rawInput === null ? {} : { input: rawInput }),
    ...(output === null ? {} : { output }),
    ...(terminal === null ? {} : { terminal }),
    ...(exitCode === null ? {} : { exitCode }),
    ...(blocks === null ? {} : { diffs: blocks.flatMap(diffOf) }),
    ...(paths.length === 0 ? {} : { paths }),
  };
}

/**
 * Reads the metadata in which some agents send the output of a command in parts, instead of in `content`. Codex does so
 * for every client.
 */
function readTerminal(meta: unknown): { terminal: string | null; exitCode: number | null } {
  const {
    terminal_output_delta: part,
    terminal_output: output,
    terminal_exit: exit,
  } = fieldsOf(meta);
  const { data } = fieldsOf(part ?? output);
  const { exit_code: code } = fieldsOf(exit);
  return {
    terminal: typeof data === "string" ? data : null,
    exitCode: typeof code === "number" && Number.isInteger(code) ? code : null,
  };
}

/** Maximum number of characters of a terminal's output to keep. */
const maxTerminal = 1_000_000;

/** Merges an update into the known fields of a call. */
export function mergeCall(known: CallUpdate, update: CallUpdate): CallUpdate {
  const merged = { ...known, ...update };
  const { terminal } = known;
  if (terminal === undefined) return merged;
  return { ...merged, terminal: `${terminal}${update.terminal ?? ""}`.slice(0, maxTerminal) };
}

function outputText(output: unknown): string | null {
  if (output === undefined || output === null) return null;
  return typeof output === "string" ? output : JSON.stringify(output);
}

function blocksText(blocks: readonly unknown[]): string {
  const texts = blocks.map((block) => textOf(fieldsOf(block)["content"]));
  return texts.filter((text) => text !== "").join("\n");
}

function diffOf(block: unknown): FileDiff[] {
  const { type, path, oldText, newText } = fieldsOf(block);
  if (type !== "diff" || typeof path !== "string" || typeof newText !== "string") return [];
  return [{ path, before: typeof oldText === "string" ? oldText : null, after: newText }];
}

function readPaths(locations: unknown): readonly string[] {
  const all = Array.isArray(locations) ? locations : [];
  return all.flatMap((location) => {
    const { path } = fieldsOf(location);
    return typeof path === "string" && path !== "" ? [path] : [];
  });
}

const planStatuses: Readonly<Partial<Record<string, PlanItem["status"]>>> = {
  pending: "open",
  in_progress: "active",
  completed: "done",
};

function readPlan(entries: unknown): readonly PlanItem[] {
  const all = Array.isArray(entries) ? entries.slice(0, 100) : [];
  return all.flatMap((entry) => {
    const { content, status } = fieldsOf(entry);
    if (typeof content !== "string" || content === "") return [];
    return [{ text: content.slice(0, 500), status: planStatuses[String(status)] ?? "open" }];
  });
}
