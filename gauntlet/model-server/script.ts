import type { IncomingHttpHeaders } from "node:http";

/** What the model says to a call. */
export type Script = (call: ModelCall) => Reply | Promise<Reply>;

/** A request as every protocol can be read. */
export interface ModelCall {
  readonly protocol: string;
  /** How many calls came before it. */
  readonly index: number;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly HeardMessage[];
  /** Names of the tools that it offers. */
  readonly tools: readonly string[];
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal;
}

export interface HeardMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  /** What it shows besides, with its content in base64. */
  readonly files: readonly HeardFile[];
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  /** Results of calls, by the id of the call; Google's protocol has only its name. */
  readonly results: readonly { readonly id: string; readonly text: string }[];
  /** The signatures under which reasoning came back, as this server had given them. */
  readonly signatures: readonly string[];
}

export interface HeardFile {
  readonly mediaType: string;
  /** Null where the protocol carries none. */
  readonly name: string | null;
  readonly content: string;
}

export type Reply =
  /** An error before anything is streamed. */
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
  /** Where a protocol groups tools. */
  readonly namespace?: string;
  /** Text is sent as it is, so that it can be broken JSON. */
  readonly input: unknown;
}

export type ControlPart =
  /** Say nothing until then, or until the client has gone. */
  | { readonly wait: Promise<unknown> }
  /** Close the connection in mid-stream. */
  | { readonly cut: true }
  /** End the stream in order, but without what ends an answer. */
  | { readonly quit: true }
  /** Bytes that the protocol does not know. */
  | { readonly raw: string };

export type Finish = "stop" | "calls" | "length" | "filter";

export interface ReplyUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** An answer in words, in pieces as a model would send them. */
export function says(text: string): Reply {
  return { parts: (text.match(/\S+\s*/g) ?? [text]).map((piece) => ({ text: piece })) };
}

/** An answer that asks for tools. */
export function asks(
  ...calls: readonly (Omit<SpokenCall, "id"> & { readonly id?: string })[]
): Reply {
  const parts = calls.map((call, index) => ({ call: { id: `call${index}`, ...call } }));
  return { parts, finish: "calls" };
}

/** One reply after the other; the last one again for whatever comes later. */
export function inOrder(...replies: readonly (Reply | Script)[]): Script {
  let next = 0;
  return (call) => {
    const reply = replies[Math.min(next, replies.length - 1)];
    next += 1;
    if (reply === undefined) throw new Error("the script is empty");
    return typeof reply === "function" ? reply(call) : reply;
  };
}
