import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../message.ts";
import { asksToCompact } from "../compact-command.ts";
import { createFold } from "../fold.ts";
import { usualImageLimits } from "../images/fit-image.ts";
import type { Model, ModelFile, ModelMessage, ModelToolResult } from "../model/model.ts";
import { answerExtraOf, isCompaction, isRemark } from "./answer-extra.ts";
import { describeFile, renderAttachments } from "./attachments.ts";
import { describeInput, isHostedAnswer } from "../hosted/past-turns.ts";
import { messageLength } from "../model/message-length.ts";

export interface RequestTarget {
  /**
   * The model that receives the request. An answer is sent in the provider's original format only if this model wrote
   * it; other answers are sent as text and tool calls.
   */
  readonly model: Pick<Model, "id" | "accepts">;
  /** The prompts of the run. Their text stays in the request even if a summary replaces all other messages. */
  readonly prompts: readonly UserMessage[];
}

/** A conversation as it is sent to the model. */
export interface ModelConversation {
  readonly messages: readonly ModelMessage[];
  /** Number of messages that compaction could shorten: all except the summary and the run's own prompts. */
  readonly recent: number;
  /** Estimated length of all messages in characters. */
  readonly characters: number;
  /** The provider's token count up to its last answer, and the number of characters that this count covers. */
  readonly counted: { readonly tokens: number; readonly characters: number } | null;
}

/**
 * Builds the conversation since the last compaction, with the result of each tool call after the call (T1). Call
 * `readAttachments` first.
 */
export function modelConversation(
  messages: readonly Message[],
  { model, prompts }: RequestTarget,
): ModelConversation {
  const reading = readConversation(messages, model);
  closeResults(reading);
  const { summary, recent, counted } = reading;
  const before: ModelMessage[] = [];
  if (summary !== null) {
    before.push(summary);
    const left = prompts.filter(({ promptId }) => !reading.prompts.has(promptId));
    before.push(...left.filter(isForModel).map((prompt) => userMessage(prompt, model)));
  }
  const more = before.reduce((sum, message) => sum + messageLength(message), 0);
  return {
    messages: [...before, ...recent],
    recent: recent.length,
    characters: more + reading.characters,
    counted: counted === null ? null : { ...counted, characters: more + counted.characters },
  };
}

type Target = RequestTarget["model"];

/** State of an incremental read of the conversation. The next request continues from here. */
interface Reading {
  readonly model: Target;
  summary: ModelMessage | null;
  recent: ModelMessage[];
  /** Estimated length of `recent` in characters. */
  characters: number;
  /** Total size in bytes of the files in the tool results of `recent`. */
  shownBytes: number;
  /** Ids of the prompts whose text is in `recent`. */
  prompts: Set<string>;
  counted: ModelConversation["counted"];
  /** Id, name and position of each call in the request, by Holdfast's call id. */
  readonly calls: Map<string, { id: string; name: string; place: number }>;
  /** Results so far of the last answer's calls, each at the position of its call. */
  results: (ModelToolResult | undefined)[];
  /** True if `results` contains results that are not in `recent` yet. */
  open: boolean;
  readonly usedIds: Set<string>;
  /** Ids of calls that hosted agents made. */
  readonly hosted: Set<string>;
}

const readConversation = createFold<Message, Target, Reading>({
  begin: (model) => ({
    model,
    summary: null,
    recent: [],
    characters: 0,
    shownBytes: 0,
    prompts: new Set(),
    counted: null,
    calls: new Map(),
    results: [],
    open: false,
    usedIds: new Set(),
    hosted: new Set(),
  }),
  add: read,
});

function read(reading: Reading, message: Message): void {
  switch (message.role) {
    case "user":
      reading.prompts.add(message.promptId);
      if (isForModel(message)) add(reading, userMessage(message, reading.model));
      return;
    case "assistant":
      if (isRemark(message.extra)) return;
      if (isCompaction(message.extra)) {
        const text = `Summary of the conversation so far:\n\n${message.text}`;
        reading.summary = { role: "user", text, files: [] };
        reading.recent = [];
        reading.open = false;
        reading.characters = 0;
        reading.shownBytes = 0;
        reading.prompts = new Set();
        reading.counted = null;
      } else if (isHostedAnswer(message.extra)) readHosted(reading, message);
      else readAnswer(reading, message);
      return;
    case "tool":
      if (reading.hosted.has(message.callId)) return;
      openResults(reading);
      reading.results[reading.calls.get(message.callId)?.place ?? 0] = toolResult(reading, message);
  }
}

/**
 * Opens the message for the results of all tool calls that one model answer made. If the conversation already ends with
 * this message, the function removes it, and `closeResults` adds it again with all results.
 */
function openResults(reading: Reading): void {
  if (reading.open) return;
  reading.open = true;
  const last = reading.recent.at(-1);
  if (last?.role !== "tool") reading.results = [];
  else {
    reading.recent.pop();
    reading.characters -= messageLength(last);
  }
}

function closeResults(reading: Reading): void {
  if (!reading.open) return;
  reading.open = false;
  // Some protocols match results to calls only by order, but calls can end in any order.
  const results = reading.results.filter((result) => result !== undefined);
  add(reading, { role: "tool", results });
}

function add(reading: Reading, message: ModelMessage): void {
  closeResults(reading);
  reading.recent.push(message);
  reading.characters += messageLength(message);
}

/** False for compaction requests, which are for the agent and not for the model. */
function isForModel(message: UserMessage): boolean {
  return !asksToCompact(message);
}

function userMessage(message: UserMessage, { accepts }: Target): ModelMessage {
  const { resultOf } = message;
  const { text, files } = renderAttachments(message, accepts);
  if (resultOf === null) return { role: "user", text, files };
  const { sessionId, outcome } = resultOf;
  const how = outcome.reason === null ? outcome.status : `${outcome.status}: ${outcome.reason}`;
  const withHeader = `The background task in session ${sessionId} has ended (${how}).\n\n${text}`;
  return { role: "user", text: withHeader, files };
}

function readAnswer(reading: Reading, message: AssistantMessage): void {
  const extra = answerExtraOf(message.extra);
  const own = extra?.model === reading.model.id && !message.interrupted ? extra.original : null;
  const ids = own === null ? [] : Object.values(extra?.providerCalls ?? {});
  const isUsable = (id: string): boolean => id !== "" && !reading.usedIds.has(id);
  const unique = new Set(ids).size === message.calls.length && ids.every(isUsable);
  const calls = message.calls.map(({ callId, name, input }, place) => {
    const id = (unique ? extra?.providerCalls[callId] : null) ?? callId;
    reading.calls.set(callId, { id, name, place });
    reading.usedIds.add(id);
    return { callId: id, name, input };
  });
  const text = message.interrupted ? `${message.text}\n[stopped here]`.trim() : message.text;
  if (text === "" && calls.length === 0 && own === null) return;
  add(reading, { role: "assistant", text, calls, original: own });
  const tokens = own === null ? 0 : (extra?.tokens ?? 0);
  if (tokens > 0) reading.counted = { tokens, characters: reading.characters };
}

/**
 * Adds an answer of a hosted agent as text. Its calls may overlap and use unknown tools, so a provider would reject
 * them as calls.
 */
function readHosted(reading: Reading, message: AssistantMessage): void {
  for (const { callId } of message.calls) reading.hosted.add(callId);
  const calls = message.calls.filter(({ seen }) => seen === true);
  const used = calls.map(({ name, input }) => `[used ${name}: ${describeInput(input)}]`);
  const text = [message.text, ...used].filter((line) => line !== "").join("\n");
  if (text === "") return;
  closeResults(reading);
  const last = reading.recent.at(-1);
  const isSame = last?.role === "assistant" && last.calls.length === 0 && last.original === null;
  if (isSame) {
    reading.recent.pop();
    reading.characters -= messageLength(last);
  }
  const whole = isSame ? `${last.text}\n${text}` : text;
  add(reading, { role: "assistant", text: whole, calls: [], original: null });
}

function toolResult(reading: Reading, message: ToolMessage): ModelToolResult {
  const { callId, status, output } = message;
  const { id = callId, name = "unknown" } = reading.calls.get(callId) ?? {};
  const failed = status !== "completed";
  const attachments = failed ? [] : (message.files ?? []);
  const words = { text: outputFor(status, output), attachments };
  const { text, files } = renderAttachments(words, reading.model.accepts);
  const shown: ModelFile[] = [];
  const texts = [text];
  for (const file of files) {
    reading.shownBytes += Math.min(file.bytes, usualImageLimits.bytes);
    if (reading.shownBytes <= mostShownBytes) shown.push(file);
    else
      texts.push(
        `[${describeFile(file)} is not shown: the limit for files in one request is reached.]`,
      );
  }
  return { callId: id, name, failed, output: texts.join("\n\n"), files: shown };
}

/**
 * Maximum total size in bytes of files in tool results, because providers limit the request size. Compaction removes
 * old files.
 */
const mostShownBytes = 15_000_000;

/** Adds a note to the output of a call that was stopped or is in doubt (it may have taken effect before a crash). */
function outputFor(status: ToolMessage["status"], output: string): string {
  if (output.trim() === "") return defaultOutput[status];
  return status === "interrupted" || status === "inDoubt"
    ? `${output}\n${defaultOutput[status]}`
    : output;
}

/** Output for a call that has no output of its own, by status. */
const defaultOutput: Readonly<Record<ToolMessage["status"], string>> = {
  completed: "Done.",
  failed: "The call failed.",
  denied: "The call was denied. Do not try to get around this. Ask the user, or do something else.",
  interrupted: "The call was stopped before it ended. It may have taken effect in part.",
  inDoubt:
    "The process ended during this call. The call may or may not have taken effect. " +
    "Check before you repeat it.",
};
