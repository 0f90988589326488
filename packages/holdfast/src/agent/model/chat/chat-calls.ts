import { randomUUID } from "node:crypto";
import { InvalidResponseDataError } from "@ai-sdk/provider";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** A piece of a call, as it stands in a stream. What a provider leaves out, or leaves blank, is null. */
export interface CallPiece {
  readonly index: number | null;
  readonly id: string | null;
  readonly name: string | null;
  readonly input: string;
  /** What the provider wants back with the call. */
  readonly signature: string | null;
}

/** Puts the calls of an answer together from their pieces, which each provider cuts in its own way. */
export interface ChatCalls {
  add(piece: CallPiece): LanguageModelV4StreamPart;
  /** The calls, in the order that the provider gave them. */
  end(): readonly LanguageModelV4StreamPart[];
}

interface OpenCall {
  readonly index: number | null;
  /** The provider's, unless it has none or has used it before. */
  readonly id: string;
  given: string | null;
  /** Null until it has come: some send arguments first. */
  name: string | null;
  input: string;
  signature: string | null;
}

/** `metadataKey` is the name under which a provider's marks are kept. */
export function createChatCalls(metadataKey: string): ChatCalls {
  const calls: OpenCall[] = [];
  const used = new Set<string>();
  const open = ({ index, id: given, name, signature }: CallPiece): OpenCall => {
    const id = given === null || used.has(given) ? randomUUID() : given;
    used.add(id);
    const call = { index, id, given, name, input: "", signature };
    calls.push(call);
    return call;
  };
  return {
    add: (piece) => {
      const call = continued(calls, piece) ?? open(piece);
      call.given ??= piece.id;
      call.name ??= piece.name;
      call.signature ??= piece.signature;
      call.input += piece.input;
      return { type: "tool-input-delta", id: call.id, delta: piece.input };
    },
    end: () => {
      const meant = calls.filter(({ name, input }) => name !== null || input !== "");
      const isNumbered = meant.every(({ index }) => index !== null);
      const inOrder = isNumbered
        ? meant.toSorted((left, right) => (left.index ?? 0) - (right.index ?? 0))
        : meant;
      return inOrder.map((call) => callPart(call, metadataKey));
    },
  };
}

/** The call that a piece goes on with; undefined where it begins another. */
function continued(calls: readonly OpenCall[], piece: CallPiece): OpenCall | undefined {
  const { index, id, name, input } = piece;
  const atIndex = (call: OpenCall): boolean => index !== null && call.index === index;
  const near = calls.findLast(
    (call) =>
      (index === null || call.index === null || call.index === index) &&
      (id === null || call.given === null || call.given === id),
  );
  if (name === null) return near ?? calls.findLast(atIndex);
  if (near?.name === null) return near;
  // With nothing else to tell them apart, each name is a call's.
  if (index === null && id === null) return undefined;
  // A name that comes again is said with every piece, unless the arguments begin anew.
  const same = near ?? (input === "" ? undefined : calls.findLast(atIndex));
  const goesOn = same?.name === name && !(begins(input) && isWhole(same.input));
  return goesOn && (same === near || !begins(input)) ? same : undefined;
}

function begins(input: string): boolean {
  return /^\s*[{[]/.test(input);
}

function isWhole(input: string): boolean {
  try {
    JSON.parse(input);
    return true;
  } catch {
    return false;
  }
}

function callPart(call: OpenCall, metadataKey: string): LanguageModelV4StreamPart {
  const { id: toolCallId, name: toolName, input, signature } = call;
  if (toolName === null) {
    throw new InvalidResponseDataError({ data: call, message: "a call has no name" });
  }
  const part = { type: "tool-call", toolCallId, toolName, input } as const;
  if (signature === null) return part;
  return { ...part, providerMetadata: { [metadataKey]: { thoughtSignature: signature } } };
}
