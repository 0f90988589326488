import type { ModelLimits, ModelMessage } from "../model/model.ts";
import type { ModelConversation } from "./request.ts";

/** Characters per token, on the safe side for code. */
const charactersPerToken = 3.2;
/** The part of the context that may be filled before the conversation is made shorter. */
const fullAt = 0.8;

export function isNearlyFull(
  request: { system: string; conversation: ModelConversation },
  limits: ModelLimits,
): boolean {
  return estimateTokens(request) > limits.context * fullAt - limits.output / 4;
}

/** The provider's own count as far as it goes; what came after it is guessed. */
function estimateTokens(request: { system: string; conversation: ModelConversation }): number {
  const { messages, counted } = request.conversation;
  const uncounted = messages.slice(counted?.place ?? 0);
  const characters = uncounted.reduce(
    (sum, message) => sum + lengthOf(message),
    counted === null ? request.system.length : 0,
  );
  return (counted?.tokens ?? 0) + Math.ceil(characters / charactersPerToken);
}

/** The parts of the context that a conversation may fill to be summed up: less when it is refused. */
export const compactionParts: readonly number[] = [0.6, 0.3, 0.1];

/**
 * The request for a summary: what fits of the conversation, from its end. It is told as one text,
 * since calls and results without the tools that they belong to are refused by some providers.
 */
export function compactionRequest(
  messages: readonly ModelMessage[],
  options: { limits: ModelLimits; part: number },
): ModelMessage[] {
  let room = options.limits.context * charactersPerToken * options.part;
  const longest = Math.max(longestOutput, room / 4);
  const told: string[] = [];
  for (const message of messages.toReversed()) {
    const text = tell(message, longest);
    room -= text.length;
    if (room < 0) break;
    told.push(text);
  }
  const conversation = told.toReversed().join("\n\n");
  return [{ role: "user", text: `${instructions}\n\n${conversation}` }];
}

const instructions = `The conversation below has become too long to go on with. Write down all that is \
needed to continue the work without it: what was asked for, in the words that matter; what was decided \
and why; which files were read or changed and what is in them that counts; what was tried and failed; \
what remains to be done, in order. Write only this summary.`;

const longestOutput = 2_000;

function tell(message: ModelMessage, longest: number): string {
  switch (message.role) {
    case "user":
      return `[people]\n${cut(message.text, longest)}`;
    case "assistant": {
      const calls = message.calls.map(
        ({ name, input }) => `[calls ${name}] ${cut(JSON.stringify(input) ?? "", longestOutput)}`,
      );
      return ["[agent]", cut(message.text, longest), ...calls].join("\n");
    }
    case "tool":
      return message.results
        .map(({ name, output }) => `[result of ${name}]\n${cut(output, longestOutput)}`)
        .join("\n");
  }
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}\n[shortened]`;
}

function lengthOf(message: ModelMessage): number {
  const known = lengths.get(message) ?? measure(message);
  lengths.set(message, known);
  return known;
}

const lengths = new WeakMap<ModelMessage, number>();

function measure(message: ModelMessage): number {
  switch (message.role) {
    case "user":
      return message.text.length;
    case "assistant":
      return message.text.length + JSON.stringify(message.calls).length;
    case "tool":
      return message.results.reduce((sum, result) => sum + result.output.length + 50, 0);
  }
}
