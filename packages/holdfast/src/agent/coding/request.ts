import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../message.ts";
import { asksToCompact } from "../compact-command.ts";
import { createFold } from "../fold.ts";
import type { Model, ModelFile, ModelMessage, ModelToolResult } from "../model/model.ts";
import { answerExtraOf, isCompaction, isRemark } from "./answer-extra.ts";
import { describeFile, tellAttachments } from "./attachments.ts";
import { messageLength } from "./message-length.ts";

export interface RequestTarget {
  /** The model that gets it: another one's own forms of answers are not for it. */
  readonly model: Pick<Model, "id" | "accepts">;
  /** What the run has to answer: its words are kept, also where a summary stands for the rest. */
  readonly prompts: readonly UserMessage[];
}

/** A conversation as the model gets it. */
export interface ModelConversation {
  readonly messages: readonly ModelMessage[];
  /** How many of them are neither summary nor the run's own prompts: what could be made shorter. */
  readonly recent: number;
  /** About how long all of them are together. */
  readonly characters: number;
  /** How many tokens the last answer's provider counted up to it, for so many of the characters. */
  readonly counted: { readonly tokens: number; readonly characters: number } | null;
}

/**
 * The conversation from the last compaction on, with every call's result after it (T1). Attachments
 * must have been read before.
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
    before.push(...left.filter(isTold).map((prompt) => userMessage(prompt, model)));
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

/** A conversation as far as it was read: the next request is read on from here. */
interface Reading {
  readonly model: Target;
  summary: ModelMessage | null;
  recent: ModelMessage[];
  /** How long `recent` is. */
  characters: number;
  /** How much the results in `recent` would show. */
  shownBytes: number;
  /** The prompts whose words are in `recent`. */
  prompts: Set<string>;
  counted: ModelConversation["counted"];
  /** What the model knows each call by. */
  readonly calls: Map<string, { id: string; name: string; place: number }>;
  /** The results that the last answer's calls have by now, each at its call's place. */
  results: (ModelToolResult | undefined)[];
  /** Whether `results` has some that are not in `recent` yet. */
  open: boolean;
  readonly usedIds: Set<string>;
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
  }),
  add: read,
});

function read(reading: Reading, message: Message): void {
  switch (message.role) {
    case "user":
      reading.prompts.add(message.promptId);
      if (isTold(message)) add(reading, userMessage(message, reading.model));
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
      } else readAnswer(reading, message);
      return;
    case "tool":
      openResults(reading);
      reading.results[reading.calls.get(message.callId)?.place ?? 0] = toolResult(reading, message);
  }
}

/** Results of one answer are one message. If it was made already, it is made anew with more. */
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
  // Some protocols tell results by their order alone, and calls end in any.
  const results = reading.results.filter((result) => result !== undefined);
  add(reading, { role: "tool", results });
}

function add(reading: Reading, message: ModelMessage): void {
  closeResults(reading);
  reading.recent.push(message);
  reading.characters += messageLength(message);
}

/** What the agent itself is asked to do is not for the model. */
function isTold(message: UserMessage): boolean {
  return !asksToCompact(message);
}

function userMessage(message: UserMessage, { accepts }: Target): ModelMessage {
  const { resultOf } = message;
  const { text, files } = tellAttachments(message, accepts);
  if (resultOf === null) return { role: "user", text, files };
  const { sessionId, outcome } = resultOf;
  const how = outcome.reason === null ? outcome.status : `${outcome.status}: ${outcome.reason}`;
  const told = `The background task in session ${sessionId} has ended (${how}).\n\n${text}`;
  return { role: "user", text: told, files };
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

function toolResult(reading: Reading, message: ToolMessage): ModelToolResult {
  const { callId, status, output } = message;
  const { id = callId, name = "unknown" } = reading.calls.get(callId) ?? {};
  const failed = status !== "completed";
  const attachments = failed ? [] : (message.files ?? []);
  const words = { text: outputFor(status, output), attachments };
  const { text, files } = tellAttachments(words, reading.model.accepts);
  const shown: ModelFile[] = [];
  const told = [text];
  for (const file of files) {
    reading.shownBytes += file.bytes;
    if (reading.shownBytes <= mostShownBytes) shown.push(file);
    else told.push(`[${describeFile(file)} is not shown to you: too much has been already.]`);
  }
  return { callId: id, name, failed, output: told.join("\n\n"), files: shown };
}

/** Providers limit a whole request. Of results so much is shown until a summary stands for them. */
const mostShownBytes = 15_000_000;

/** What was stopped or is in doubt says so, whatever it had put out by then. */
function outputFor(status: ToolMessage["status"], output: string): string {
  if (output.trim() === "") return wordsFor[status];
  return status === "interrupted" || status === "inDoubt"
    ? `${output}\n${wordsFor[status]}`
    : output;
}

/** What the model is told of a call that has no output of its own. */
const wordsFor: Readonly<Record<ToolMessage["status"], string>> = {
  completed: "Done.",
  failed: "It failed.",
  denied: "It was not allowed. Do not try to get around this; ask, or do something else.",
  interrupted: "It was stopped before it ended. It may have had a part of its effect.",
  inDoubt:
    "The process ended while this call was at work. Whether it has had its effect is not known; " +
    "look before you do it again.",
};
