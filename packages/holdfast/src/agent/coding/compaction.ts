import type { ModelLimits, ModelMessage } from "../model/model.ts";

/** Characters per token, on the safe side for code. */
const charactersPerToken = 3.2;
/** The part of the context that may be filled before the conversation is made shorter. */
const fullAt = 0.8;

export function isNearlyFull(
  request: { system: string; messages: readonly ModelMessage[] },
  limits: ModelLimits,
): boolean {
  return estimateTokens(request) > limits.context * fullAt - limits.output / 4;
}

export function estimateTokens(request: {
  system: string;
  messages: readonly ModelMessage[];
}): number {
  const characters = request.messages.reduce(
    (sum, message) => sum + lengthOf(message),
    request.system.length,
  );
  return Math.ceil(characters / charactersPerToken);
}

/** The request for a summary: what fits of the conversation, from its end, and what is wanted. */
export function compactionMessages(
  messages: readonly ModelMessage[],
  limits: ModelLimits,
): ModelMessage[] {
  let room = limits.context * charactersPerToken * 0.6;
  const fitting: ModelMessage[] = [];
  for (const message of messages.toReversed()) {
    const shorter = shorten(message);
    room -= lengthOf(shorter);
    if (room < 0) break;
    fitting.unshift(shorter);
  }
  // A result whose call did not fit would be a result of nothing.
  const start = fitting.findIndex((message) => message.role !== "tool");
  return [...fitting.slice(Math.max(0, start)), { role: "user", text: instructions }];
}

const instructions = `The conversation has become too long to go on with. Write down all that is needed \
to continue the work without it: what was asked for, in the words that matter; what was decided and \
why; which files were read or changed and what is in them that counts; what was tried and failed; \
what remains to be done, in order. Write only this summary.`;

const longestOutput = 2_000;

function shorten(message: ModelMessage): ModelMessage {
  if (message.role === "assistant") return { ...message, original: null };
  if (message.role !== "tool") return message;
  const results = message.results.map((result) =>
    result.output.length <= longestOutput
      ? result
      : { ...result, output: `${result.output.slice(0, longestOutput)}\n[shortened]` },
  );
  return { role: "tool", results };
}

function lengthOf(message: ModelMessage): number {
  switch (message.role) {
    case "user":
      return message.text.length;
    case "assistant":
      return message.text.length + JSON.stringify(message.calls).length;
    case "tool":
      return message.results.reduce((sum, result) => sum + result.output.length + 50, 0);
  }
}
