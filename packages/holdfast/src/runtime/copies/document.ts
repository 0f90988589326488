import { createHash } from "node:crypto";
import { z } from "zod";
import { efforts } from "../../agent/model/reasoning.ts";
import { createRedactor } from "../../agent/redact.ts";
import type { TranscriptMessage } from "../../agent/message.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { openHistory } from "../../kernel/history.ts";
import type { LaneState, Reason } from "../../kernel/state.ts";
import { makeBody } from "../../store/body.ts";
import type { Body } from "../../store/store.ts";
import { holdsKey } from "../commands/command-context.ts";
import { documentFormat, makeTranscript } from "./export.ts";
import { BadDocument, openJsonFile } from "./json-file.ts";
import type { JsonFile, Span } from "./json-file.ts";
import { namedInMessage } from "../../log/bodies.ts";
import { bodiesNamedBy, isKnownType } from "../../kernel/event-table.ts";
import { isTooDeep, maxNesting } from "./nesting.ts";
import { transcriptOf } from "../../log/transcript.ts";

/** The content of an exported document, verified and without secret keys. */
export interface ReadDocument {
  readonly title: string | null;
  /** Identifies this import, so that a repetition is recognized (P3). */
  readonly contentHash: string;
  /** Hash of the stored transcript. */
  readonly transcript: string;
}

/** Maximum number of pieces of content in an import, because one commit refers to all of them. */
const maxBodies = 20_000;

/**
 * Reads an untrusted document. If the document is invalid, the error names the position. Only one event or one piece of
 * content is in memory at a time. `chooseDirectory` receives the directory in the document and returns the directory of
 * the new session.
 */
export async function readDocument(
  file: number,
  options: {
    secrets: readonly string[];
    chooseDirectory: (recorded: string) => Promise<string>;
    /** Called with the content of the transcript and all other content that it refers to, one piece at a time. */
    keep: (body: Body) => void;
  },
): Promise<ReadDocument> {
  const json = openJsonFile(file);
  const sections = sectionsOf(json);
  const bodies = indexBodies(json, sections.bodies);
  const log = function* log(): Generator<LaneEvent> {
    let place = 0;
    for (const span of json.elements(sections.events)) {
      place += 1;
      const event = json.parse(span, `event ${place}`);
      expectEvent(event, `event ${place}`);
      yield event;
    }
  };
  const state = replay(log(), (event) => {
    for (const { hash } of bodiesNamedBy(event)) {
      if (!bodies.has(hash))
        throw broken(`event ${event.seq} refers to body ${hash}, which is missing`);
    }
  });
  const directory = await options.chooseDirectory(state.directory);
  const redactor = createRedactor(options.secrets);
  const redact = (text: string): string => redactor.redact(text);
  const content = createHash("sha256");
  const named = new Set<string>();
  let separator = `{"import":[`;
  const messages = async function* messages(): AsyncGenerator<TranscriptMessage> {
    const reader = { body: async (hash: string) => contentOf(json, bodies, hash) };
    for await (const read of readable(transcriptOf(reader, { log, isEnd: () => false }))) {
      // Check the message, because an imported document can come from anyone. Other code does not check stored
      // messages: Holdfast itself wrote them.
      const message = parse(messageSchema, read, "its messages");
      if (isTooDeep(message)) {
        throw broken(`its messages are nested more than ${maxNesting} levels deep`);
      }
      content.update(separator + JSON.stringify(message));
      separator = ",";
      const clean = redactAll(redact, markImported(message));
      for (const { hash } of namedInMessage(clean)) named.add(hash);
      if (named.size > maxBodies)
        throw broken(`its messages refer to more than ${maxBodies} contents`);
      yield clean;
    }
  };
  const transcript = await makeTranscript(messages(), options.keep);
  if (separator !== ",") content.update(separator);
  content.update(`],"directory":${JSON.stringify(directory)}}`);
  for (const hash of named) {
    const found = contentOf(json, bodies, hash);
    if (found === null) throw broken(`body ${hash} is missing`);
    if (holdsKey(redact, found))
      throw broken("document contains a configured key; send it without the key");
    options.keep({ hash, content: found });
  }
  return {
    title: state.title === null ? null : redact(state.title),
    contentHash: content.digest("hex"),
    transcript,
  };
}

/** Finds the events and the stored content in the document; the import does not need the rest. */
function sectionsOf(json: JsonFile): { events: Span; bodies: Span } {
  const whole = json.whole();
  if (whole.kind !== "object") throw notExported();
  const spans = new Map<string, Span>();
  for (const { key, value } of json.members(whole)) spans.set(key, value);
  const small = (key: string): unknown => {
    const span = spans.get(key);
    return span === undefined || span.end - span.start > 1_000 ? undefined : json.parse(span, key);
  };
  if (small("format") !== documentFormat.format) throw notExported();
  const version = small("version");
  if (version !== documentFormat.version) {
    throw broken(
      `it has version ${String(version)}, but this release reads version ${documentFormat.version}`,
    );
  }
  const [events, bodies] = [spans.get("events"), spans.get("bodies")];
  if (events?.kind !== "array") throw broken("the document at events: expected a list");
  if (bodies?.kind !== "object") throw broken("the document at bodies: expected an object");
  if (json.elements(events).next().done === true)
    throw broken("the document at events: it is empty");
  return { events, bodies };
}

/** Finds the position of each piece of stored content and verifies its hash. */
function indexBodies(json: JsonFile, span: Span): ReadonlyMap<string, Span> {
  const index = new Map<string, Span>();
  for (const { key, value } of json.members(span)) {
    if (!hashPattern.test(key))
      throw broken(`the document at bodies: ${JSON.stringify(key.slice(0, 100))} is not a hash`);
    if (makeBody(decodeBody(json, value)).hash !== key) {
      throw broken(`the content of body ${key} does not match its hash`);
    }
    index.set(key, value);
  }
  return index;
}

function contentOf(
  json: JsonFile,
  index: ReadonlyMap<string, Span>,
  hash: string,
): Uint8Array | null {
  const span = index.get(hash);
  return span === undefined ? null : decodeBody(json, span);
}

function decodeBody(json: JsonFile, span: Span): Uint8Array {
  const [member, ...others] = span.kind === "object" ? [...json.members(span)] : [];
  if (member === undefined || others.length > 0) throw broken(`${inBodies}: expected one member`);
  const text = json.text(member.value, inBodies);
  if (member.key === "text") return text;
  if (member.key === "base64") return decodeBase64(text);
  throw broken(
    `${inBodies}: ${JSON.stringify(member.key.slice(0, 100))} is neither text nor base64`,
  );
}

const inBodies = "the document at bodies";

/** Decodes in pieces, because one large string would double the memory. */
function decodeBase64(encoded: Uint8Array): Uint8Array {
  const result = Buffer.allocUnsafeSlow(Math.floor((encoded.byteLength / 4) * 3));
  const pieceBytes = 4 * 256 * 1024;
  let length = 0;
  for (let start = 0; start < encoded.byteLength; start += pieceBytes) {
    const piece = Buffer.from(encoded.subarray(start, start + pieceBytes)).toString("latin1");
    length += result.write(piece, length, "base64");
  }
  return result.subarray(0, length);
}

/**
 * Yields the messages of an untrusted document. If a message cannot be read, throws the error for a broken document.
 */
async function* readable(
  messages: AsyncIterable<TranscriptMessage>,
): AsyncGenerator<TranscriptMessage> {
  try {
    yield* messages;
  } catch (error) {
    if (error instanceof BadDocument) throw error;
    throw broken(`its messages cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Prefix of an imported actor's name. Names of tokens, runs and nodes contain no colon, so it is not mistaken for a
 * local actor.
 */
const importedMark = "imported:";

function markImported(message: TranscriptMessage): TranscriptMessage {
  if (message.role !== "user" || message.actor.id.startsWith(importedMark)) return message;
  const { kind, id } = message.actor;
  return { ...message, actor: { kind, id: `${importedMark}${id}` } };
}

/** Returns a copy of the value with secret keys removed from all its strings. */
function redactAll<Value>(redact: (text: string) => string, value: Value): Value {
  const clean: Value = JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === "string" ? redact(part) : part,
  );
  return clean;
}

const hashPattern = /^[0-9a-f]{64}$/;
const hash = z.string().regex(hashPattern);

const actor = z.object({ kind: z.enum(["client", "run", "node"]), id: z.string() });

const eventSchema = z.looseObject({
  sessionId: z.string(),
  seq: z.int(),
  at: z.number(),
  actor,
  version: z.literal(1),
  type: z.string().refine(isKnownType, "is no type of event"),
});

const outcome = z.object({
  status: z.enum(["completed", "failed", "cancelled"]),
  reason: z.custom<Reason>((value) => typeof value === "string").nullable(),
  runId: z.string().nullable(),
  result: hash.nullable(),
});

const files = z.array(
  z.object({
    hash,
    name: z.string().nullable(),
    mediaType: z.string(),
    bytes: z.int().min(0),
  }),
);

const messageSchema = z.discriminatedUnion("role", [
  z.object({
    role: z.literal("user"),
    at: z.number(),
    promptId: z.string(),
    text: z.string(),
    attachments: files,
    actor,
    reply: z.boolean(),
    resultOf: z.object({ sessionId: z.string(), promptId: z.string(), outcome }).nullable(),
    agent: z.string().exactOptional(),
    model: z.string().exactOptional(),
    agentMode: z.string().exactOptional(),
    effort: z.enum(efforts).exactOptional(),
    thinking: z.boolean().exactOptional(),
    command: z
      .object({
        name: z.string(),
        arguments: z.string(),
        builtIn: z.literal(true).exactOptional(),
      })
      .exactOptional(),
    entered: z.boolean(),
    outcome: outcome.nullable(),
  }),
  z.object({
    role: z.literal("assistant"),
    at: z.number(),
    runId: z.string(),
    step: z.int(),
    text: z.string(),
    calls: z.array(
      z.object({
        callId: z.string(),
        name: z.string(),
        input: z.unknown(),
        repeatable: z.boolean(),
      }),
    ),
    interrupted: z.boolean(),
    extra: z.unknown(),
  }),
  z.object({
    role: z.literal("tool"),
    at: z.number(),
    callId: z.string(),
    status: z.enum(["completed", "failed", "denied", "interrupted", "inDoubt"]),
    output: z.string(),
    extra: z.unknown(),
    files: files.exactOptional(),
    intent: z.string().nullable(),
  }),
]);

/** Checks only the shape of the event. The replay checks whether the event is valid at its position. */
function expectEvent(item: unknown, what: string): asserts item is LaneEvent {
  parse(eventSchema, item, what);
}

/**
 * Replays the events of the log. Throws if the log breaks a rule; the rules are those that `holdfast doctor` checks.
 */
function replay(events: Iterable<LaneEvent>, check: (event: LaneEvent) => void): LaneState {
  const history = openHistory();
  for (const event of events) {
    try {
      check(event);
      history.add(event);
    } catch (error) {
      if (error instanceof BadDocument) throw error;
      throw broken(`its log cannot be replayed: ${messageOf(error)}`);
    }
  }
  const [problem] = history.problems();
  if (problem !== undefined) throw broken(`its log breaks a promise: ${problem}`);
  const state = history.state();
  if (state === null) throw broken("its log is empty");
  return state;
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  throw broken(`${what}${where}: ${issue?.message ?? "it has the wrong shape"}`);
}

function notExported(): BadDocument {
  const advice = "`holdfast export` and GET /v1/sessions/{sessionId}/export write them";
  return broken(`this is not an exported session; ${advice}`);
}

function broken(message: string): BadDocument {
  return new BadDocument(message);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
