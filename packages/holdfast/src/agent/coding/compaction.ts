import type { Message } from "../message.ts";
import type { ModelFile, ModelLimits, ModelMessage } from "../model/model.ts";
import type { ToolSettings } from "../tools/tool.ts";
import { isCompaction } from "./answer-extra.ts";
import type { ModelConversation } from "./request.ts";

/** Estimated characters per token. The value is low on purpose, because code needs many tokens. */
export const charactersPerToken = 3.2;
/**
 * Upper bound of characters per token. If a provider counts fewer tokens than the text's length divided by this number,
 * its count is incomplete.
 */
const mostCharactersPerToken = 6;
/** Compaction starts when this share of the context window is full. */
const fullAt = 0.8;
/** Share of the context window that one tool result may fill. */
const outputShare = 0.15;

export function isNearlyFull(request: EstimatedRequest, limits: ModelLimits): boolean {
  return estimateTokens(request) > limits.context * fullAt - limits.output / 4;
}

export interface EstimatedRequest {
  readonly system: string;
  /** Length of the tool definitions in characters. */
  readonly toolsLength: number;
  readonly conversation: Pick<ModelConversation, "characters" | "counted">;
}

/** Estimates the tokens of a conversation from its length. */
export function guessTokens({ characters }: ModelConversation): number {
  return Math.ceil(characters / charactersPerToken);
}

/** Estimates the tokens of a request. Uses the provider's token count for the messages that it covers. */
export function estimateTokens(request: EstimatedRequest): number {
  const { characters, counted } = request.conversation;
  const all = request.system.length + request.toolsLength + characters;
  if (counted === null) return Math.ceil(all / charactersPerToken);
  const after = (characters - counted.characters) / charactersPerToken;
  return Math.ceil(Math.max(counted.tokens + after, all / mostCharactersPerToken));
}

/** A run is in a compaction loop after this many summaries with at most `fewSteps` steps between them. */
const mostSummaries = 4;
const fewSteps = 3;

/** Detects a compaction loop: the run fills the context window, summarizes, and reads the same content again. */
export function isCompactionLoop(messages: readonly Message[], runId: string): boolean {
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

/** Limits tool output to a share of the context window, so that one call cannot fill a small window. */
export function fitSettings(settings: ToolSettings, { context }: ModelLimits): ToolSettings {
  const most = Math.round(context * charactersPerToken * outputShare);
  const { shell, maxOutput } = settings;
  return {
    ...settings,
    maxOutput: Math.min(maxOutput, most),
    shell: { ...shell, maxOutput: Math.min(shell.maxOutput, most) },
  };
}

/**
 * Shares of the context window for the text to summarize. If the provider rejects the text as too long, the next share
 * is tried.
 */
export const compactionShares: readonly number[] = [0.6, 0.3, 0.1];

/**
 * Builds the summary request: the newest messages that fit, with half of the space reserved for the user's
 * messages. The conversation is sent as one text, because some providers reject tool calls without tool
 * definitions.
 */
export function compactionRequest(
  messages: readonly ModelMessage[],
  options: { limits: ModelLimits; share: number; focus: string },
): ModelMessage[] {
  const room = options.limits.context * charactersPerToken * options.share;
  const rendered = messages.map((message) =>
    renderMessage(message, Math.max(longestOutput, room / 4)),
  );
  const places = [...messages.keys()].toReversed();
  const isPeople = (place: number): boolean => messages[place]?.role === "user";
  const fitting = new Set<number>();
  let left = room;
  const fit = (candidates: readonly number[], atLeast: number): void => {
    for (const place of candidates) {
      left -= rendered[place]?.length ?? 0;
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
  const conversation = rendered.filter((_, place) => fitting.has(place)).join("\n\n");
  const { focus } = options;
  const wanted =
    focus === ""
      ? ""
      : `\n\nThe user wants the summary to keep above all: ${cut(focus, longestFocus)}`;
  return [{ role: "user", text: `${instructions}${wanted}\n\n${conversation}`, files: [] }];
}

const instructions = `The conversation below is too long to continue. Write a summary with everything needed to \
continue the work without it: the request, in the user's words where they matter; decisions and their \
reasons; files that were read or changed, and their relevant content; attempts that failed; the \
remaining work, in order. Write only this summary.`;

const longestOutput = 2_000;
const longestFocus = 4_000;

function renderMessage(message: ModelMessage, longest: number): string {
  switch (message.role) {
    case "user": {
      return ["[user]", cut(message.text, longest), ...renderFiles(message.files)].join("\n");
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
          ...renderFiles(files),
        ])
        .join("\n");
  }
}

function renderFiles(files: readonly ModelFile[]): readonly string[] {
  return files.map(({ name, mediaType }) => `[shown: ${name ?? mediaType}]`);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}\n[shortened]`;
}
