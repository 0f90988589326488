import type { AnswerBody, PromptBody, ToolBody, TranscriptMessage } from "../agent/message.ts";
import type { EventOf, LaneEvent } from "../kernel/event.ts";
import type { TextKind } from "../store/search/labels.ts";
import { readBody } from "./bodies.ts";
import type { BodyReader } from "./bodies.ts";
import { inheritedFrom } from "./transcript.ts";

export { isUnreadable } from "./bodies.ts";

/** A searchable text of an event. */
export interface SearchText {
  /** Position of the text within its event. */
  readonly slot: number;
  readonly kind: TextKind;
  readonly text: string;
  readonly promptId?: string;
  readonly callId?: string;
}

type Unplaced = Omit<SearchText, "slot">;

/** Maximum number of slots per message: one for its text, then one per tool call. Further calls are not indexed. */
const slotsOfMessage = 64;

/**
 * Yields the texts of an event after a slot; -1: all texts. They contain no secrets, because secrets are removed before
 * content is stored.
 */
export async function* textsOf(
  bodies: BodyReader,
  event: LaneEvent,
  after: number,
): AsyncGenerator<SearchText> {
  for await (const text of textsFrom(bodies, event, Math.max(0, after))) {
    if (text.slot > after) yield text;
  }
}

/** Returns one text of an event; null if its content was removed. */
export async function textAt(
  bodies: BodyReader,
  event: LaneEvent,
  slot: number,
): Promise<SearchText | null> {
  for await (const text of textsFrom(bodies, event, slot)) {
    if (text.slot === slot) return text;
    if (text.slot > slot) return null;
  }
  return null;
}

/** Yields the texts of the message with this slot and of all later messages. */
async function* textsFrom(
  bodies: BodyReader,
  event: LaneEvent,
  slot: number,
): AsyncGenerator<SearchText> {
  if (event.type === "session.created") {
    yield* inheritedTexts(bodies, event, Math.floor(slot / slotsOfMessage));
  } else yield* placed(await ownTexts(bodies, event), 0);
}

async function* inheritedTexts(
  bodies: BodyReader,
  event: EventOf<"session.created">,
  first: number,
): AsyncGenerator<SearchText> {
  for await (const { message, index } of inheritedFrom(bodies, event, first)) {
    yield* placed(textsOfMessage(message), index);
  }
}

function placed(texts: readonly Unplaced[], message: number): SearchText[] {
  return texts
    .slice(0, slotsOfMessage)
    .map((text, index) => ({ ...text, slot: message * slotsOfMessage + index }))
    .filter(({ text }) => text.trim() !== "");
}

async function ownTexts(bodies: BodyReader, event: LaneEvent): Promise<Unplaced[]> {
  if (event.type === "session.renamed") return [{ kind: "title", text: event.title }];
  if (event.type === "prompt.accepted" || event.type === "prompt.edited") {
    const body = await readBody<PromptBody>(bodies, event.body);
    return [{ kind: "prompt", text: body?.text ?? "", promptId: event.promptId }];
  }
  if (event.type === "step.answered") {
    const body = await readBody<AnswerBody>(bodies, event.body);
    return body === null ? [] : answerTexts(body);
  }
  if (event.type !== "tool.ended") return [];
  const body = await readBody<ToolBody>(bodies, event.body);
  return [{ kind: "toolResult", text: body?.output ?? "", callId: event.callId }];
}

function textsOfMessage(message: TranscriptMessage): Unplaced[] {
  if (message.role === "assistant") return answerTexts(message);
  if (message.role === "user") {
    return [{ kind: "prompt", text: message.text, promptId: message.promptId }];
  }
  return [{ kind: "toolResult", text: message.output, callId: message.callId }];
}

function answerTexts({ text, calls }: Pick<AnswerBody, "text" | "calls">): Unplaced[] {
  const called = calls.map(({ callId, name, input }): Unplaced => ({
    kind: "toolCall",
    text: [name, ...stringsIn(input)].join("\n"),
    callId,
  }));
  return [{ kind: "answer", text }, ...called];
}

/** Returns the strings and numbers in a tool's input, without the names of its fields. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
