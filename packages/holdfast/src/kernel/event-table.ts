import type { EventOf, LaneEvent } from "./event.ts";
import type { Outcome } from "./state.ts";

// One row per event type. Stores, doctor, retention, export, import and the wire format read everything that they need
// to know about an event type from this table. A new event type is described to them only here.

/** Kind of stored content. Prompts, intents, tool results and transcripts can refer to other stored content. */
export type BodyKind =
  | "prompt"
  | "answer"
  | "intent"
  | "toolResult"
  | "ask"
  | "askAnswer"
  | "work"
  | "outcome"
  | "transcript"
  | "file"
  /** Content of an event type that only a newer release knows. */
  | "unknown";

export interface NamedBody {
  readonly hash: string;
  readonly kind: BodyKind;
}

interface EventRow<Event> {
  /**
   * Set if each `subject` (a prompt, a run or an exclusive operation) has at most one event of this type. Stores
   * enforce this with a unique index. SQLite's index contains `number` for the type: never change or reuse a number.
   */
  readonly once?: { readonly number: number; subject(event: Event): string };
  /** The stored content that clients receive with the event. */
  readonly content?: BodyField<Event>;
  /** Stored content that the event also refers to, but that clients do not receive with the event. */
  readonly others?: BodyField<Event>;
}

interface BodyField<Event> {
  readonly kind: BodyKind;
  hash(event: Event): string | null | undefined;
}

const promptId = ({ promptId }: { readonly promptId: string }): string => promptId;
const runId = ({ runId }: { readonly runId: string }): string => runId;
const workId = ({ workId }: { readonly workId: string }): string => workId;

const body = (kind: BodyKind): BodyField<{ readonly body: string | null }> => ({
  kind,
  hash: (event) => event.body,
});

const outcome: BodyField<{ readonly outcome: { readonly result: string | null } }> = {
  kind: "outcome",
  hash: (event) => event.outcome.result,
};

export const eventTable = {
  "session.created": {
    others: { kind: "transcript", hash: ({ origin }) => origin?.transcript },
  },
  "session.renamed": {},
  "session.archived": {},
  "session.modeSet": {},
  "session.agentSet": {},
  "session.deleted": {},
  "prompt.accepted": {
    once: { number: 1, subject: promptId },
    content: body("prompt"),
    others: { kind: "outcome", hash: ({ resultOf }) => resultOf?.outcome.result },
  },
  "prompt.edited": { content: body("prompt") },
  "prompt.moved": {},
  "prompt.takenIn": {},
  "prompt.returned": {},
  // SQLite leaves these events out of its unique index, because its table `settled` has at most one row per prompt. The
  // exception: if two prompts have the same key in `settled`, the event of the second prompt is in the index.
  "prompt.settled": { once: { number: 3, subject: promptId }, content: outcome },
  "prompt.tombstoned": { once: { number: 2, subject: promptId }, others: outcome },
  "prompt.unwanted": {},
  "run.started": { once: { number: 4, subject: runId } },
  "run.resumed": {},
  "run.suspended": {},
  "run.handedOver": {},
  "run.stopping": { others: outcome },
  "run.closing": { others: outcome },
  "run.waiting": {},
  "run.woken": {},
  "run.ended": { once: { number: 5, subject: runId }, content: outcome },
  "step.opened": {},
  "step.answered": { content: body("answer") },
  "tool.started": { content: body("intent") },
  "tool.ended": { content: body("toolResult") },
  "ask.opened": { content: body("ask") },
  "ask.closed": {
    content: {
      kind: "askAnswer",
      hash: ({ resolution }) => (resolution.kind === "answered" ? resolution.body : null),
    },
  },
  "child.linked": {},
  "child.settled": { content: outcome },
  "branch.ended": {},
  "cancel.committed": {},
  "hold.placed": {},
  "hold.released": {},
  "work.queued": { once: { number: 6, subject: workId }, content: body("work") },
  "work.started": { once: { number: 7, subject: workId } },
  "work.stopping": {},
  "work.ended": { once: { number: 8, subject: workId }, content: body("work") },
} satisfies EventTable;

type EventTable = {
  readonly [Type in LaneEvent["type"]]: EventRow<EventOf<Type>> & NamesBodies<EventOf<Type>>;
};

/**
 * Compile-time check: if an event type has a field `body` or `outcome`, its row in `eventTable` must list that field in
 * `content` or `others`. The cleanup of old data deletes stored content that no row lists.
 */
type NamesBodies<Event> = Event extends
  | { readonly body: string | null }
  | { readonly outcome: Outcome }
  ? { readonly content: BodyField<Event> } | { readonly others: BodyField<Event> }
  : unknown;

/** `eventTable` by type, as text: the log of a newer release contains types that this release does not know. */
const rows = new Map<string, EventRow<LaneEvent>>(
  Object.entries<EventTable[LaneEvent["type"]]>(eventTable),
);

/** False for an event type of a newer release. */
export function isKnownType(type: string): boolean {
  return rows.has(type);
}

export function subjectOf(event: LaneEvent): string | null {
  return rows.get(event.type)?.once?.subject(event) ?? null;
}

/** Number of the event's type in a unique SQLite index; null if a prompt or run can have several events of the type. */
export function onceNumberOf(event: LaneEvent): number | null {
  return rows.get(event.type)?.once?.number ?? null;
}

/** Returns the stored content that clients receive with the event. */
export function contentOf(event: LaneEvent): NamedBody | null {
  return read(rows.get(event.type)?.content, event);
}

/** Lists all stored content that an event refers to. */
export function bodiesNamedBy(event: LaneEvent): readonly NamedBody[] {
  const row = rows.get(event.type);
  if (row === undefined) return bodiesByKey(event);
  return [read(row.content, event), read(row.others, event)].filter((named) => named !== null);
}

function read(field: BodyField<LaneEvent> | undefined, event: LaneEvent): NamedBody | null {
  const hash = field?.hash(event) ?? null;
  return field === undefined || hash === null ? null : { hash, kind: field.kind };
}

/** Finds the stored content of an unknown event type: it is named in `body`, `result` or `transcript` (decision 19). */
function bodiesByKey(event: LaneEvent): NamedBody[] {
  const found: NamedBody[] = [];
  const visit = (value: unknown, key: string): void => {
    const isName = key === "body" || key === "result" || key === "transcript";
    if (typeof value === "string" && isName) {
      found.push({ hash: value, kind: key === "transcript" ? "transcript" : "unknown" });
    } else if (typeof value === "object" && value !== null) {
      for (const [name, part] of Object.entries(value)) visit(part, name);
    }
  };
  visit(event, "");
  return found;
}

/** Narrows the event to one of these types, so that a switch over them is exhaustive. */
export function isOf<Type extends LaneEvent["type"]>(
  event: LaneEvent,
  types: readonly Type[],
): event is EventOf<Type> {
  return types.some((type) => type === event.type);
}
