import type { IncomingHttpHeaders } from "node:http";

/** Returns the model's answer to a call. */
export type Script = (call: ModelCall) => Reply | Promise<Reply>;

/** A request in a form that is common to all protocols. */
export interface ModelCall {
  readonly protocol: string;
  /** Number of calls before this one. */
  readonly index: number;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly HeardMessage[];
  /** Names of the offered tools. */
  readonly tools: readonly string[];
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
}

export interface HeardMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  /** Attached files, with their content in base64. */
  readonly files: readonly HeardFile[];
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  /** Results of tool calls. `id` is the call id. Google's protocol has no call ids, so there `id` is the tool name. */
  readonly results: readonly { readonly id: string; readonly text: string }[];
  /** Reasoning signatures that the client sent back. */
  readonly signatures: readonly string[];
}

export interface HeardFile {
  readonly mediaType: string;
  /** Null if the protocol has no file name. */
  readonly name: string | null;
  readonly content: string;
}

export type Reply =
  /** An error response, before anything is streamed. */
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly message?: string;
      readonly code?: string;
    }
  | {
      readonly parts: Iterable<Part> | AsyncIterable<Part>;
      readonly finish?: Finish;
      readonly usage?: ReplyUsage;
    };

export type Part = SpokenPart | ControlPart;

export type SpokenPart =
  | { readonly text: string }
  | { readonly reasoning: string }
  | { readonly call: SpokenCall };

export interface SpokenCall {
  readonly id: string;
  readonly name: string;
  /** Group of the tool, if the protocol supports groups of tools. */
  readonly namespace?: string;
  /** A string is sent unchanged, so that it can be invalid JSON. */
  readonly input: unknown;
}

export type ControlPart =
  /** Pause until the promise resolves or the client disconnects. */
  | { readonly wait: Promise<unknown> }
  /** Close the connection in the middle of the stream. */
  | { readonly cut: true }
  /** End the stream normally, but without the protocol's end-of-answer message. */
  | { readonly quit: true }
  /** Bytes that are not valid in the protocol. */
  | { readonly raw: string | Uint8Array };

export type Finish = "stop" | "calls" | "length" | "filter";

export interface ReplyUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** Returns an answer of text, split into pieces as a model sends them. */
export function says(text: string): Reply {
  return { parts: (text.match(/\S+\s*/g) ?? [text]).map((piece) => ({ text: piece })) };
}

/** Returns an answer that requests tool calls. */
export function asks(
  ...calls: readonly (Omit<SpokenCall, "id"> & { readonly id?: string })[]
): Reply {
  const parts = calls.map((call, index) => ({ call: { id: `call${index}`, ...call } }));
  return { parts, finish: "calls" };
}

/** Returns a script that sends the replies in order, and then repeats the last one. */
export function inOrder(...replies: readonly (Reply | Script)[]): Script {
  let next = 0;
  return (call) => {
    const reply = replies[Math.min(next, replies.length - 1)];
    next += 1;
    if (reply === undefined) throw new Error("the script is empty");
    return typeof reply === "function" ? reply(call) : reply;
  };
}
