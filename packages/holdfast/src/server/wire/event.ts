import type { Attachment } from "../../contract/attachment.ts";
import type { WireEvent } from "../../contract/event.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import type { BodyKind } from "../../kernel/event-table.ts";
import { isUnreadable, omitDamaged, readBody, readContent } from "../../log/bodies.ts";
import type { BodyReader } from "../../log/bodies.ts";
import { inherited } from "../../log/transcript.ts";
import { budgetQuestion } from "../../runtime/views/asks.ts";
import { contextUseSchema } from "../../contract/message.ts";
import type { Message } from "../../contract/message.ts";

/**
 * Maximum length of a text in streamed events. Longer texts are shortened, so that one event cannot fill a reader's
 * buffer.
 */
const maxText = 64 * 1024;

/**
 * Converts an event to the form that clients get, with its content. Long texts are shortened unless `whole` is true.
 */
export async function wireEvent(
  bodies: BodyReader,
  event: LaneEvent,
  options: { whole?: boolean } = {},
): Promise<WireEvent> {
  const whole = await contentOf(bodies, event);
  const truncated = options.whole !== true && hasLongText(whole);
  const content = truncated ? withShortTexts(whole) : whole;
  // A type error here means that an event type, or one of its fields, is missing in `contract/event.ts`.
  const fields: WireFields = withoutLimit(event);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the event table maps each event to its content
  return { ...fields, content, truncated } as WireEvent;
}

/** Maximum length of a prompt's text in an event that `leanEvent` returns. */
const maxPromptText = 200;

/**
 * Returns the event in the form that clients receive, without its content. Only an accepted prompt keeps the beginning
 * of its text.
 */
export async function leanEvent(bodies: BodyReader, event: LaneEvent): Promise<WireEvent> {
  const found = event.type === "prompt.accepted" ? await wireEvent(bodies, event) : null;
  if (found?.type === "prompt.accepted" && found.content !== null) {
    const text = found.content.text.slice(0, maxPromptText).toWellFormed();
    return { ...found, content: { ...found.content, text } };
  }
  return withoutContent(event);
}

/**
 * Wraps the conversion of events. If the stored content of an event is damaged, the event is returned without content,
 * so that other events can be read. Each such event is reported once.
 */
export function omitDamagedContent<Encoded>(options: {
  encode: (event: LaneEvent) => Promise<Encoded>;
  onError?: (error: unknown) => void;
}): (event: LaneEvent) => Promise<Encoded | WireEvent> {
  const { encode, onError = () => {} } = options;
  const reported = new Set<string>();
  return async (event) => {
    try {
      return await encode(event);
    } catch (cause) {
      if (!isUnreadable(cause)) throw cause;
      const { sessionId, seq } = event;
      const key = `${seq} ${sessionId}`;
      if (!reported.has(key) && reported.size < maxReported) {
        reported.add(key);
        const message = `event ${seq} of session ${sessionId} is sent without its content, because the content cannot be read; run: holdfast doctor`;
        onError(new Error(message, { cause }));
      }
      return withoutContent(event);
    }
  };
}

const maxReported = 1_000;

function withoutContent(event: LaneEvent): WireEvent {
  // A type error here means the same as in `wireEvent`.
  const fields: WireFields = withoutLimit(event);
  return { ...fields, content: null, truncated: false };
}

/** Removes the directory limit of the sender's token, which other clients must not see. */
function withoutLimit(event: LaneEvent): LaneEvent {
  if (!("directories" in event)) return event;
  const { directories: _, ...rest } = event;
  return rest;
}

/**
 * Returns the files that a tool call showed the model, or that a fork or an import copied. Omits files that only
 * damaged content names.
 */
export async function filesOf(
  source: BodyReader,
  event: LaneEvent,
): Promise<readonly Attachment[]> {
  const bodies = omitDamaged(source);
  if (event.type === "tool.ended") {
    const content = await readBody<{ files?: readonly Attachment[] }>(bodies, event.body);
    return content?.files ?? [];
  }
  if (event.type !== "session.created") return [];
  return (await inherited(bodies, event)).flatMap((message) => {
    if (message.role === "user") return message.attachments;
    return message.role === "tool" ? (message.files ?? []) : [];
  });
}

type WireFields = WireEvent extends infer Case
  ? Case extends WireEvent
    ? Omit<Case, "content" | "truncated">
    : never
  : never;

async function contentOf(bodies: BodyReader, event: LaneEvent): Promise<object | null> {
  if (event.type === "ask.opened" && event.budget !== undefined) {
    return budgetQuestion(event.budget);
  }
  const found = await readContent(bodies, event);
  if (found === null || found.content === null) return null;
  const field = textIn[found.kind];
  const content: StoredBody = found.content;
  if (field !== undefined && typeof content[field] !== "string") {
    throw new TypeError(`the stored content of event ${event.seq} is not of kind ${found.kind}`);
  }
  return shapeOf[found.kind]?.(found.content) ?? found.content;
}

/** The text that intact content of each kind contains. */
const textIn: { readonly [Kind in BodyKind]?: keyof StoredBody } = {
  prompt: "text",
  answer: "text",
  intent: "summary",
  toolResult: "output",
  ask: "question",
  outcome: "text",
};

/** Conversions for stored content that clients get in another form. */
const shapeOf: { readonly [Kind in BodyKind]?: (body: StoredBody) => object } = {
  prompt: (body) => ({ ...body, attachments: body.attachments ?? [] }),
  answer: (body) => ({
    text: body.text,
    ...answerFields(body.extra),
    calls: body.calls ?? [],
  }),
  ask: ({ question, extra = null }) => ({ question, extra }),
  askAnswer: (body) => ({ text: body.text ?? null, remember: body.remember ?? null }),
};

interface StoredBody {
  readonly text?: string;
  readonly attachments?: readonly unknown[];
  readonly calls?: readonly unknown[];
  readonly extra?: unknown;
  readonly question?: string;
  readonly summary?: string;
  readonly output?: string;
  readonly remember?: string;
}

function hasLongText(value: unknown): boolean {
  if (typeof value === "string") return value.length > maxText;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasLongText);
}

/** Copies the value and shortens its long texts, without splitting a character. */
function withShortTexts(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length <= maxText
      ? value
      : value.slice(0, maxText).replace(/[\uD800-\uDBFF]$/, "");
  }
  if (Array.isArray(value)) return value.map(withShortTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withShortTexts(item)]),
  );
}

type AnswerFields = Pick<
  Extract<Message, { role: "assistant" }>,
  "reasoning" | "model" | "effort" | "context" | "summary"
>;

/**
 * Picks the fields of an answer's `extra` that are for people. The rest is for later requests to
 * the same model.
 */
export function answerFields(extra: unknown): AnswerFields {
  const fields = typeof extra === "object" && extra !== null ? extra : {};
  const reasoning = "reasoning" in fields ? fields.reasoning : null;
  const model = "model" in fields ? fields.model : null;
  const effort = "effort" in fields ? fields.effort : null;
  return {
    reasoning: typeof reasoning === "string" && reasoning !== "" ? reasoning : null,
    model: typeof model === "string" ? model : null,
    ...(typeof effort === "string" ? { effort } : {}),
    ...("context" in fields ? contextField(fields.context) : {}),
    summary: "kind" in fields && fields.kind === "compaction",
  };
}

/** Reads the context use that a hosted agent has reported with its answer. */
function contextField(value: unknown): Pick<AnswerFields, "context"> {
  const { success, data } = contextUseSchema.safeParse(value);
  return success ? { context: data } : {};
}
