import type { Message } from "../message.ts";
import type { ModelFile, ModelLimits, ModelMessage } from "../model/model.ts";
import type { ToolSettings } from "../tools/tool.ts";
import { isCompaction } from "./answer-extra.ts";
import type { ModelConversation } from "./request.ts";

/** Characters per token, on the safe side for code. */
const charactersPerToken = 3.2;
/** No text has more of them than this: a provider that counts fewer tokens has not counted all. */
const mostCharactersPerToken = 6;
/** The part of the context that may be filled before the conversation is made shorter. */
const fullAt = 0.8;
/** The part of the context that one result may fill. */
const outputPart = 0.15;

export function isNearlyFull(
  request: { system: string; conversation: ModelConversation },
  limits: ModelLimits,
): boolean {
  return estimateTokens(request) > limits.context * fullAt - limits.output / 4;
}

/** About how many tokens a conversation is by itself. */
export function guessTokens({ characters }: ModelConversation): number {
  return Math.ceil(characters / charactersPerToken);
}

/** The provider's own count as far as it goes; what came after it is guessed. */
function estimateTokens(request: { system: string; conversation: ModelConversation }): number {
  const { characters, counted } = request.conversation;
  const all = request.system.length + characters;
  if (counted === null) return Math.ceil(all / charactersPerToken);
  const after = (characters - counted.characters) / charactersPerToken;
  return Math.ceil(Math.max(counted.tokens + after, all / mostCharactersPerToken));
}

/** So many summaries with hardly a step between, and whatever is done does not fit. */
const mostSummaries = 4;
const fewSteps = 3;

/** Whether a run goes round in summaries: it reads what fills the context, forgets it and reads it again. */
export function isInVain(messages: readonly Message[], runId: string): boolean {
  let summaries = 0;
  let steps = 0;
  for (const message of messages.toReversed()) {
    if (message.role !== "assistant") continue;
    if (message.runId !== runId || steps > fewSteps) return false;
    const isSummary = isCompaction(message.extra);
    steps = isSummary ? 0 : steps + 1;
    if (isSummary) summaries += 1;
    if (summaries >= mostSummaries) return true;
  }
  return false;
}

/** What a tool may put out at once in a model's context: a small one is not filled by the first call. */
export function fitSettings(settings: ToolSettings, { context }: ModelLimits): ToolSettings {
  const most = Math.round(context * charactersPerToken * outputPart);
  const { shell, maxOutput } = settings;
  return {
    ...settings,
    maxOutput: Math.min(maxOutput, most),
    shell: { ...shell, maxOutput: Math.min(shell.maxOutput, most) },
  };
}

/** The parts of the context that a conversation may fill to be summed up: less when it is refused. */
export const compactionParts: readonly number[] = [0.6, 0.3, 0.1];

/**
 * The request for a summary: what fits of the conversation, from its end, people's words before all
 * else. It is told as one text, since some providers refuse calls of tools that are not offered.
 */
export function compactionRequest(
  messages: readonly ModelMessage[],
  options: { limits: ModelLimits; part: number; focus: string },
): ModelMessage[] {
  const room = options.limits.context * charactersPerToken * options.part;
  const told = messages.map((message) => textOf(message, Math.max(longestOutput, room / 4)));
  const places = [...messages.keys()].toReversed();
  const isPeople = (place: number): boolean => messages[place]?.role === "user";
  const fitting = new Set<number>();
  let left = room;
  const fit = (candidates: readonly number[], atLeast: number): void => {
    for (const place of candidates) {
      left -= told[place]?.length ?? 0;
      if (left < atLeast) break;
      fitting.add(place);
    }
    left = Math.max(left, atLeast);
  };
  fit(places.filter(isPeople), room / 2);
  fit(
    places.filter((place) => !isPeople(place)),
    0,
  );
  const conversation = told.filter((_, place) => fitting.has(place)).join("\n\n");
  const { focus } = options;
  const wanted =
    focus === ""
      ? ""
      : `\n\nAbove all, people want kept what they name here: ${cut(focus, longestFocus)}`;
  return [{ role: "user", text: `${instructions}${wanted}\n\n${conversation}`, files: [] }];
}

const instructions = `The conversation below has become too long to go on with. Write down all that is \
needed to continue the work without it: what was asked for, in the words that matter; what was decided \
and why; which files were read or changed and what is in them that counts; what was tried and failed; \
what remains to be done, in order. Write only this summary.`;

const longestOutput = 2_000;
const longestFocus = 4_000;

function textOf(message: ModelMessage, longest: number): string {
  switch (message.role) {
    case "user": {
      return ["[people]", cut(message.text, longest), ...tellFiles(message.files)].join("\n");
    }
    case "assistant": {
      const calls = message.calls.map(
        ({ name, input }) => `[calls ${name}] ${cut(JSON.stringify(input) ?? "", longestOutput)}`,
      );
      return ["[agent]", cut(message.text, longest), ...calls].join("\n");
    }
    case "tool":
      return message.results
        .flatMap(({ name, output, files }) => [
          `[result of ${name}]\n${cut(output, longestOutput)}`,
          ...tellFiles(files),
        ])
        .join("\n");
  }
}

function tellFiles(files: readonly ModelFile[]): readonly string[] {
  return files.map(({ name, mediaType }) => `[shown: ${name ?? mediaType}]`);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}\n[shortened]`;
}
