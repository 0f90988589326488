import { z } from "zod";
import { maxMessage } from "../../store/store.ts";
import type { Delta, StepOf } from "../delta-hub.ts";
import type { InFlight } from "../in-flight.ts";

/** Messages between nodes about deltas. `to` is the receiving node; null: all nodes. */
export type DeltaMessage =
  /**
   * Asks for the deltas of these sessions; null: of all sessions. `anew`: the sender has missed messages and needs the
   * texts from their beginning.
   */
  | { readonly kind: "want"; readonly sessions: readonly string[] | null; readonly anew: boolean }
  /** Names sessions that have a step in flight. The message expires if it is not repeated. */
  | { readonly kind: "flying"; readonly sessions: readonly string[] }
  /**
   * Deltas of this step follow. `again`: they repeat the step's text from the beginning. `cut`: the text is too long,
   * so its beginning is left out.
   */
  | {
      readonly kind: "begin";
      readonly to: string | null;
      readonly place: StepOf;
      readonly again: boolean;
      readonly cut: boolean;
    }
  | { readonly kind: "delta"; readonly to: string | null; readonly delta: Delta }
  | { readonly kind: "settle"; readonly sessionId: string; readonly callId: string | null };

/** Version of the message format. Nodes ignore messages of another version. */
const version = 1;
/** Above this number of sessions, a node requests the deltas of all sessions. */
export const maxWanted = 100;
/**
 * Maximum number of characters of text in a message, so that the message fits into the `maxMessage` bytes that the
 * store can send. JSON writes a control character with 6 bytes, and the ids take up to 1,000.
 */
const maxText = 750;
/** Maximum number of characters of a stream that a late reader receives. */
const maxSent = 32 * 1024;

/** Packs messages into as few texts as possible, in order. */
export function encodeMessages(from: string, messages: readonly DeltaMessage[]): string[] {
  const head = `{"version":${version},"from":${JSON.stringify(from)},"messages":[`;
  const room = maxMessage - Buffer.byteLength(head) - 2;
  const texts: string[] = [];
  let parts: string[] = [];
  let used = 0;
  const close = (): void => {
    if (parts.length > 0) texts.push(`${head}${parts.join(",")}]}`);
    parts = [];
    used = 0;
  };
  for (const message of messages) {
    const part = JSON.stringify(message);
    const size = Buffer.byteLength(part) + 1;
    if (size > room) continue;
    if (used + size > room) close();
    parts.push(part);
    used += size;
  }
  close();
  return texts;
}

/** Parses a text of another node as untrusted input. */
export function decodeMessages(text: string): DecodedMessages {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return { status: "unreadable" };
  }
  const spoken = versionSchema.safeParse(read);
  if (spoken.success && spoken.data.version !== version) return { status: "otherVersion" };
  const { success, data } = textSchema.safeParse(read);
  return success ? { status: "read", ...data } : { status: "unreadable" };
}

export type DecodedMessages =
  | { readonly status: "read"; readonly from: string; readonly messages: readonly DeltaMessage[] }
  /** The text was sent by a node of another release. */
  | { readonly status: "otherVersion" }
  | { readonly status: "unreadable" };

const id = z.string().min(1).max(200);
const count = z.int().min(0);
const sessions = z.array(id).max(maxWanted);
const place = { sessionId: id, runId: id, step: count, attempt: count };
const messageSchema: z.ZodType<DeltaMessage> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("want"), sessions: sessions.nullable(), anew: z.boolean() }),
  z.object({ kind: z.literal("flying"), sessions }),
  z.object({
    kind: z.literal("begin"),
    to: id.nullable(),
    place: z.object(place),
    again: z.boolean(),
    cut: z.boolean(),
  }),
  z.object({
    kind: z.literal("delta"),
    to: id.nullable(),
    delta: z.object({
      ...place,
      kind: z.enum(["text", "reasoning", "tool", "restart"]),
      callId: id.nullable(),
      text: z.string().max(maxMessage),
    }),
  }),
  z.object({ kind: z.literal("settle"), sessionId: id, callId: id.nullable() }),
]);
const versionSchema = z.object({ version: z.int() });
const textSchema = z.object({
  version: z.literal(version),
  from: id,
  messages: z.array(messageSchema).max(maxMessage),
});

/** Splits a delta into pieces that each fit into a message. */
export function deltaMessages(delta: Delta, to: string | null): DeltaMessage[] {
  if (delta.text === "") return [{ kind: "delta", to, delta }];
  return piecesOf(delta.text).map((text) => ({ kind: "delta", to, delta: { ...delta, text } }));
}

/** Builds messages with all text in flight of a session. Of a long stream, only the end is sent. */
export function flightMessages(flight: InFlight, to: string | null): DeltaMessage[] {
  const { sessionId, runId, step, attempt } = flight;
  const place = { sessionId, runId, step, attempt };
  const streams = [
    { kind: "reasoning", callId: null, text: flight.reasoning },
    { kind: "text", callId: null, text: flight.text },
    ...flight.calls.map((call) => ({ kind: "tool", ...call }) as const),
  ] as const;
  const cut = flight.cut || streams.some(({ text }) => text.length > maxSent);
  const deltas = streams.flatMap(({ text, ...stream }) =>
    text === "" ? [] : deltaMessages({ ...place, ...stream, text: text.slice(-maxSent) }, to),
  );
  return [{ kind: "begin", to, place, again: true, cut }, ...deltas];
}

/** Splits a text into pieces without splitting a surrogate pair. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = Math.min(start + maxText, text.length);
    const splits = end < text.length && isHighSurrogate(text.charCodeAt(end - 1));
    pieces.push(text.slice(start, splits ? end - 1 : end));
    start = splits ? end - 1 : end;
  }
  return pieces;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
