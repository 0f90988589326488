import { maxMessage } from "../../store/store.ts";
import type { Delta, StepOf } from "../delta-hub.ts";
import type { InFlight } from "../views/in-flight.ts";

/** What nodes say to one another about deltas. `to` is for one of them, null for all. */
export type DeltaMessage =
  /** Readers here look at these sessions, or at all; `anew` when what was sent before is lost. */
  | { readonly kind: "want"; readonly sessions: readonly string[] | null; readonly anew: boolean }
  /** These are in flight: what is not confirmed for a while is forgotten. */
  | { readonly kind: "flying"; readonly sessions: readonly string[] }
  /** Deltas of this step follow; `again` when all of it is said from the beginning, maybe `cut`. */
  | {
      readonly kind: "begin";
      readonly to: string | null;
      readonly place: StepOf;
      readonly again: boolean;
      readonly cut: boolean;
    }
  | { readonly kind: "delta"; readonly to: string | null; readonly delta: Delta }
  | { readonly kind: "settle"; readonly sessionId: string; readonly callId: string | null };

/** Of nodes of different versions side by side, those that speak alike understand one another. */
const version = 1;
/** In the worst case a character takes 6 bytes, and a message has some around its text. */
const maxText = 1_000;
/** How much of a stream a node that comes late is told. */
const maxTold = 32 * 1024;

/** Packs messages into as few texts as they fit in, in order. */
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

/** Null for what is of another version, or no message at all. */
export function decodeMessages(
  text: string,
): { from: string; messages: readonly DeltaMessage[] } | null {
  try {
    const read: { version?: unknown; from: string; messages: readonly DeltaMessage[] } =
      JSON.parse(text);
    return read.version === version ? read : null;
  } catch {
    return null;
  }
}

/** A delta in pieces that each fit in a message. */
export function deltaMessages(delta: Delta, to: string | null): DeltaMessage[] {
  if (delta.text === "") return [{ kind: "delta", to, delta }];
  return piecesOf(delta.text).map((text) => ({ kind: "delta", to, delta: { ...delta, text } }));
}

/** All that is in flight of a session, the end of each stream if it is long. */
export function flightMessages(flight: InFlight, to: string | null): DeltaMessage[] {
  const { sessionId, runId, step, attempt } = flight;
  const place = { sessionId, runId, step, attempt };
  const streams = [
    { kind: "reasoning", callId: null, text: flight.reasoning },
    { kind: "text", callId: null, text: flight.text },
    ...flight.calls.map((call) => ({ kind: "tool", ...call }) as const),
  ] as const;
  const cut = flight.cut || streams.some(({ text }) => text.length > maxTold);
  const deltas = streams.flatMap(({ text, ...stream }) =>
    text === "" ? [] : deltaMessages({ ...place, ...stream, text: text.slice(-maxTold) }, to),
  );
  return [{ kind: "begin", to, place, again: true, cut }, ...deltas];
}

/** Never through a character that is made of two. */
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
