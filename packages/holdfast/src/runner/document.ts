import { z } from "zod";
import type { TranscriptMessage } from "../agent/message.ts";
import type { LaneEvent } from "../kernel/event.ts";
import { openHistory } from "../kernel/history.ts";
import type { LaneState, Reason } from "../kernel/state.ts";
import { makeBody } from "../store/body.ts";
import { CommandRefused } from "./command-refused.ts";
import { documentFormat } from "./export.ts";
import type { DocumentBody } from "./export.ts";
import { bodiesNamedBy } from "./named-bodies.ts";
import { transcriptOf } from "./transcript.ts";

/** A session out of an exported document, with everything in it verified. */
export interface ReadDocument {
  /** The state to which its log folds. */
  readonly state: LaneState;
  readonly messages: readonly TranscriptMessage[];
  readonly bodies: ReadonlyMap<string, Uint8Array>;
}

/** Reads a document that anybody may have written; refuses one that is broken, and says where. */
export async function readDocument(document: unknown): Promise<ReadDocument> {
  const head = parse(headSchema, document, "the document is not an exported session");
  if (head.version !== documentFormat.version) {
    throw broken(
      `it has version ${head.version}, and this program reads ${documentFormat.version}`,
    );
  }
  const { events: listed, bodies: encoded } = parse(documentSchema, document, "the document");
  const bodies = decodeBodies(encoded);
  const events = readEvents(listed);
  const state = replay(events);
  for (const event of events) {
    for (const { hash } of bodiesNamedBy(event)) {
      if (!bodies.has(hash))
        throw broken(`event ${event.seq} names body ${hash}, which is missing`);
    }
  }
  const reader = { body: async (hash: string) => bodies.get(hash) ?? null };
  let messages: unknown;
  try {
    messages = await transcriptOf(reader, events);
  } catch (error) {
    throw broken(`its messages can't be read: ${messageOf(error)}`);
  }
  // Bodies are trusted elsewhere, since this program has written them: not these.
  return { state, messages: parse(messagesSchema, messages, "its messages"), bodies };
}

const headSchema = z.object({ format: z.literal(documentFormat.format), version: z.number() });

const hashPattern = /^[0-9a-f]{64}$/;
const hash = z.string().regex(hashPattern);

const documentSchema = z.object({
  events: z.array(z.unknown()).min(1),
  bodies: z.record(
    hash,
    z.union([z.object({ text: z.string() }).strict(), z.object({ base64: z.base64() }).strict()]),
  ),
});

const actor = z.object({ kind: z.enum(["client", "run", "node"]), id: z.string() });

const knownTypes: Record<LaneEvent["type"], true> = {
  "session.created": true,
  "session.renamed": true,
  "session.archived": true,
  "session.deleted": true,
  "prompt.accepted": true,
  "prompt.edited": true,
  "prompt.moved": true,
  "prompt.takenIn": true,
  "prompt.returned": true,
  "prompt.settled": true,
  "prompt.tombstoned": true,
  "prompt.unwanted": true,
  "run.started": true,
  "run.resumed": true,
  "run.suspended": true,
  "run.handedOver": true,
  "run.stopping": true,
  "run.closing": true,
  "run.waiting": true,
  "run.woken": true,
  "run.ended": true,
  "step.opened": true,
  "step.answered": true,
  "tool.started": true,
  "tool.ended": true,
  "ask.opened": true,
  "ask.closed": true,
  "child.linked": true,
  "child.settled": true,
  "branch.ended": true,
  "cancel.committed": true,
  "hold.placed": true,
  "hold.released": true,
  "work.queued": true,
  "work.started": true,
  "work.stopping": true,
  "work.ended": true,
};

const eventSchema = z.looseObject({
  sessionId: z.string(),
  seq: z.int(),
  at: z.number(),
  actor,
  version: z.literal(1),
  type: z.string().refine((type) => Object.hasOwn(knownTypes, type), "is no type of event"),
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

const messagesSchema = z.array(
  z.discriminatedUnion("role", [
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
  ]),
);

function decodeBodies(encoded: Record<string, DocumentBody>): ReadonlyMap<string, Uint8Array> {
  const bodies = new Map<string, Uint8Array>();
  for (const [name, body] of Object.entries(encoded)) {
    const content = "text" in body ? Buffer.from(body.text) : Buffer.from(body.base64, "base64");
    if (makeBody(content).hash !== name) throw broken(`body ${name} has other content than it had`);
    bodies.set(name, content);
  }
  return bodies;
}

function readEvents(listed: readonly unknown[]): readonly LaneEvent[] {
  return listed.map((item, index) => {
    expectEvent(item, `event ${index + 1}`);
    return item;
  });
}

/** As far as its type says; whether it can have happened, the replay says. */
function expectEvent(item: unknown, what: string): asserts item is LaneEvent {
  parse(eventSchema, item, what);
}

/** Every promise is checked on the log, as the doctor does it. */
function replay(events: readonly LaneEvent[]): LaneState {
  const history = openHistory();
  try {
    for (const event of events) history.add(event);
  } catch (error) {
    throw broken(`its log can't be replayed: ${messageOf(error)}`);
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
  throw broken(`${what}${where}: ${issue?.message ?? "it has another shape"}`);
}

function broken(message: string): CommandRefused {
  return new CommandRefused({ code: "invalid", field: "document", message });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
