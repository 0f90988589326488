import { randomUUID } from "node:crypto";
import { InvalidResponseDataError } from "@ai-sdk/provider";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** A piece of a streamed tool call. Missing or blank fields are null. */
export interface CallPiece {
  readonly index: number | null;
  readonly id: string | null;
  readonly name: string | null;
  readonly input: string;
  /** A signature that the provider expects back with the call. */
  readonly signature: string | null;
}

/** Assembles tool calls from their streamed pieces. Providers split calls in different ways. */
export interface ChatCalls {
  add(piece: CallPiece): LanguageModelV4StreamPart;
  /** Returns the calls in the provider's order. */
  end(): readonly LanguageModelV4StreamPart[];
}

interface OpenCall {
  readonly index: number | null;
  /** The provider's call id, or a new id if it is missing or was used before. */
  readonly id: string;
  given: string | null;
  /** The tool's name. Null until it arrives, because some providers send arguments first. */
  name: string | null;
  input: string;
  signature: string | null;
}

/** Creates an assembler for the tool calls of one answer. `metadataKey`: the key for the provider's metadata. */
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

/** Returns the call that a piece continues, or undefined if it starts a new call. */
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
  // A piece of a streamed answer that names a tool but has no index and no id starts a new tool call.
  if (index === null && id === null) return undefined;
  // The new piece continues the earlier call `same` if both name the same tool. Exception: a piece that begins with `{`
  // or `[` starts a new call if the arguments of `same` are already complete, or if the ids differ.
  const same = near ?? (input === "" ? undefined : calls.findLast(atIndex));
  const continues = same?.name === name && !(startsJson(input) && isWhole(same.input));
  return continues && (same === near || !startsJson(input)) ? same : undefined;
}

function startsJson(input: string): boolean {
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
    throw new InvalidResponseDataError({
      data: call,
      message: "the provider sent a tool call without a name",
    });
  }
  const part = { type: "tool-call", toolCallId, toolName, input } as const;
  if (signature === null) return part;
  return { ...part, providerMetadata: { [metadataKey]: { thoughtSignature: signature } } };
}
