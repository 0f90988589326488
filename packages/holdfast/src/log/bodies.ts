import type {
  AnswerToAskBody,
  IntentBody,
  PromptBody,
  ToolBody,
  TranscriptBody,
  TranscriptMessage,
} from "../agent/message.ts";
import { contentOf } from "../kernel/event-table.ts";
import type { BodyKind, NamedBody } from "../kernel/event-table.ts";
import type { LaneEvent } from "../kernel/event.ts";
import { StoreError } from "../store/store-error.ts";
import type { StoreReader } from "../store/store.ts";

/** Source of stored content: a store, or an exported document. */
export interface BodyReader extends Pick<StoreReader, "body"> {
  /** Damaged content is read as if it had been removed. Missing: reading damaged content fails. */
  readonly omitsDamaged?: true;
}

/**
 * Returns a source that omits damaged content. Use it for answers to clients, so that one damaged content does not
 * fail an answer that contains other things. Code that acts on content must read the source itself, and fail.
 */
export function omitDamaged(bodies: BodyReader): BodyReader {
  return { body: (hash) => bodies.body(hash), omitsDamaged: true };
}

/** Reads stored content by its hash. Its shape is not validated, because only this program writes it. */
export async function readBody<Content>(
  bodies: BodyReader,
  hash: string | null,
): Promise<Content | null> {
  if (hash === null) return null;
  try {
    const bytes = await bodies.body(hash);
    if (bytes === null) return null;
    const content: Content = JSON.parse(textOf(bytes));
    return content;
  } catch (error) {
    if (bodies.omitsDamaged === true && isUnreadable(error)) return null;
    throw error;
  }
}

/**
 * True if the error is about the content of an event, such as damaged JSON. False if the store failed: the same
 * content can probably be read later.
 */
export function isUnreadable(error: unknown): boolean {
  return !(error instanceof StoreError) || error.code === "storeCorrupt";
}

/** Reads a person's answer to a question or permission request; null if no content is stored for it. */
export async function readAnswer(
  bodies: BodyReader,
  hash: string | null,
): Promise<AnswerToAskBody | null> {
  const body = await readBody<Partial<AnswerToAskBody>>(bodies, hash);
  return body === null ? null : { text: body.text ?? null, remember: body.remember ?? null };
}

/** Reads the stored content that clients receive with an event; null if the event has none. */
export async function readContent(
  bodies: BodyReader,
  event: LaneEvent,
): Promise<{ readonly kind: BodyKind; readonly content: object | null } | null> {
  const named = contentOf(event);
  if (named === null) return null;
  return { kind: named.kind, content: await readBody<object>(bodies, named.hash) };
}

/**
 * Lists other stored content that this content refers to: attachments, files of tool results, earlier file contents,
 * results of runs.
 */
export function bodiesNamedIn({ kind }: NamedBody, content: Uint8Array): readonly NamedBody[] {
  return namedIn[kind]?.(content) ?? [];
}

export function namesOthers(kind: BodyKind): boolean {
  return namedIn[kind] !== undefined;
}

const namedIn: { readonly [Kind in BodyKind]?: (content: Uint8Array) => readonly NamedBody[] } = {
  prompt: (content) => {
    const { attachments = [] }: PromptBody = JSON.parse(textOf(content));
    return attachments.map(({ hash }) => file(hash));
  },
  intent: (content) => {
    const { files }: IntentBody = JSON.parse(textOf(content));
    return files.flatMap(({ before }) => (before === null ? [] : [file(before)]));
  },
  toolResult: (content) => {
    const { files = [] }: ToolBody = JSON.parse(textOf(content));
    return files.map(({ hash }) => file(hash));
  },
  transcript: (content) => {
    const transcript: TranscriptBody = JSON.parse(textOf(content));
    if ("messages" in transcript) return transcript.messages.flatMap(namedInMessage);
    return transcript.pages.map(({ hash }) => ({ hash, kind: "transcript" }));
  },
};

export function namedInMessage(message: TranscriptMessage): readonly NamedBody[] {
  if (message.role === "assistant") return [];
  if (message.role === "tool") return (message.files ?? []).map(({ hash }) => file(hash));
  const { attachments, outcome, resultOf } = message;
  const results = [outcome?.result, resultOf?.outcome.result].filter(
    (hash) => typeof hash === "string",
  );
  return [
    ...attachments.map(({ hash }) => file(hash)),
    ...results.map((hash): NamedBody => ({ hash, kind: "outcome" })),
  ];
}

function file(hash: string): NamedBody {
  return { hash, kind: "file" };
}

function textOf(content: Uint8Array): string {
  return new TextDecoder().decode(content);
}
