import type { Account } from "../kernel/account.ts";
import type { Command, CommandData, CommandEnvelope } from "../kernel/command.ts";
import type { LaneEvent } from "../kernel/event.ts";
import type { AskRow, LedgerRow, WorkRow } from "../kernel/ledger.ts";
import type { LaneState } from "../kernel/state.ts";
import type { Answer } from "../kernel/transaction.ts";
import type {
  HeldSession,
  SessionPage,
  SessionQuery,
  SessionSummary,
  StoredLane,
} from "./session-list.ts";

/** Reads of a store. Each answers what is committed, never what is on its way. */
export interface StoreReader {
  lane(sessionId: string): Promise<LaneState | null>;
  prompt(sessionId: string, promptId: string): Promise<LedgerRow | null>;
  /** A session's ledger in order of acceptSeq. */
  prompts(sessionId: string, page: Page<number>): Promise<readonly LedgerRow[]>;
  ask(sessionId: string, askId: string): Promise<AskRow | null>;
  /** A session's asks in the order in which they were opened; the key is an askId. */
  asks(sessionId: string, page: AskPage): Promise<readonly AskRow[]>;
  /** The open asks of all sessions, the oldest first. */
  openAsks(page: Page<AskKey>): Promise<readonly AskRow[]>;
  work(sessionId: string, workId: string): Promise<WorkRow | null>;
  /** A session's log in order of seq, gapless (T2); or only its events of some types or of a subject. */
  events(sessionId: string, page: EventPage): Promise<readonly LaneEvent[]>;
  /** All sessions' events: none is skipped, each comes once, in order within its session (T2). */
  feed(page: Page<string>): Promise<FeedPage>;
  /** The cursor behind all that is committed. */
  feedEnd(): Promise<string>;
  /** Whether a client may have got this from the feed of a store of this kind. */
  isFeedCursor(text: string): boolean;
  body(hash: string): Promise<Uint8Array | null>;
  /** Session ids in order of id. */
  sessions(page: Page<string>): Promise<readonly string[]>;
  session(sessionId: string): Promise<SessionSummary | null>;
  /**
   * Sessions by their latest activity, the latest first. One that becomes active while somebody pages
   * through them moves to the front: the pages behind may then miss it.
   */
  listSessions(query: SessionQuery): Promise<SessionPage>;
  /**
   * Sessions whose lane a failure holds (L4), in order of id; in these directories, or in all of them
   * when they are null. It looks at every lane: not for what happens often.
   */
  failureHolds(directories: readonly string[] | null): Promise<readonly HeldSession[]>;
  /** The lane as it is stored, with what it is found by: for those who verify a store. */
  storedLane(sessionId: string): Promise<StoredLane | null>;
  /** The lease of a process; null when it is not known, or long forgotten. */
  node(nodeId: string): Promise<NodeLease | null>;
  /** The processes that have a lease now, in order of id. */
  nodes(): Promise<readonly LivingNode[]>;
  /** Every lane that is in a process's name, also in that of one that is gone, in order of owner. */
  ownedLanes(): Promise<readonly OwnedLane[]>;
  /** Budgets by their ids: those that exist, in no order. */
  accounts(ids: readonly string[]): Promise<readonly Account[]>;
  record(kind: string, id: string): Promise<StoredRecord | null>;
  /** The records of a kind in order of id. */
  records(kind: string, page: Page<string>): Promise<readonly StoredRecord[]>;
  upload(hash: string): Promise<Upload | null>;
  /** How much room the store takes. */
  size(): Promise<StoreSize>;
  /** The store's clock: the only one that leases, deadlines and events know (L5). */
  now(): Promise<number>;
  close(): Promise<void>;
}

export interface Page<Key> {
  /** Null from the beginning; for the feed, the cursor of the page before. */
  readonly after: Key | null;
  readonly limit: number;
}

export interface EventPage extends Page<number> {
  readonly types?: readonly LaneEvent["type"][];
  /** A prompt, run or work: only what happens once to it, such as its start. Found however long the log. */
  readonly subject?: string;
}

export interface AskPage extends Page<string> {
  /** True for those without an answer, false for the others. */
  readonly open?: boolean;
}

export interface AskKey {
  readonly sessionId: string;
  readonly askId: string;
}

export type FeedPage =
  | {
      readonly status: "events";
      readonly events: readonly LaneEvent[];
      /** Behind each of the events, so that a reader can go on from any of them. */
      readonly cursors: readonly string[];
      /** Behind the page. */
      readonly cursor: string;
      /** There is more to read at once; otherwise wait for a signal. */
      readonly more: boolean;
    }
  /** The cursor is of another store or too old: read the state anew, go on from this cursor. */
  | { readonly status: "reset"; readonly cursor: string };

/** A command without its time: the store stamps it with its own clock, inside the transaction. */
export type CommandInput = DistributiveOmit<Command, "at">;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export interface StoreRequest {
  readonly command: CommandInput;
  /** What the command's events refer to; stored with them, once per content. */
  readonly bodies?: readonly Body[];
}

export interface Body {
  readonly hash: string;
  readonly content: Uint8Array;
}

export interface Store extends StoreReader {
  /** The lane as it is now, if that is known here without asking; null otherwise. */
  peek(sessionId: string): LaneState | null;
  /**
   * Decides the command, and what it sends to other lanes, in one transaction, and answers when
   * that is durable (P1). A refusal is an answer; only a failing store throws, a StoreError.
   */
  execute(request: StoreRequest): Promise<Answer>;
  /** Begins a process's lease. An id is used once: a process that lost its lease takes another. */
  join(lease: { nodeId: string; ttl: number }): Promise<Lease>;
  /** Extends it, and names the version of each lane it owns, so that no signal is needed (L5). */
  renew(nodeId: string): Promise<Renewal>;
  /** Ends it now: what the process still owns is free to be taken over. */
  leave(nodeId: string): Promise<void>;
  /** Lanes that want something done, longest waiting first: L3's level, not its edge. */
  pending(query: PendingQuery): Promise<Pending>;
  /** Writes a record if it is still at the version that the caller has seen. */
  putRecord(write: RecordWrite): Promise<RecordWritten>;
  /** Whether it was there. */
  removeRecord(key: { kind: string; id: string }): Promise<boolean>;
  /** Keeps a content until it is swept; one that is there is as good as new afterwards. */
  addUpload(upload: NewUpload): Promise<void>;
  /** Forgets uploads last added before the given time, and counts them. */
  sweepUploads(query: { before: number }): Promise<number>;
  /**
   * Forgets bodies that nothing needs any more, all of them or none: false when anything was committed
   * after the cursor, which may need one of them. A content that is sent again is stored again.
   */
  removeBodies(removal: BodyRemoval): Promise<boolean>;
  /** Gives room back that holds nothing. It may take minutes, and nobody else gets far meanwhile. */
  compact(): Promise<void>;
  /** Hints that a lane has changed. They may be lost, repeated or late; never rely on one. */
  watch(listener: (signal: Signal) => void): () => void;
  /** To the other processes on the store; null where there can be none. */
  readonly messages: NodeMessages | null;
  /** How many notifications were ignored since the store was opened: forged, repeated or unreadable. */
  rejectedNotifications(): number;
}

/** Texts from process to process. Any may be lost, and none is kept. */
export interface NodeMessages {
  /** Each at most `maxMessage` bytes long. False when they are lost, or may be. Never throws. */
  send(messages: readonly string[]): Promise<boolean>;
  /** Others' messages, in the order of each sender. */
  listen(listener: MessageListener): () => void;
}

/** How long a message can be, in bytes: sealed, it must fit into PostgreSQL's 8,000. */
export const maxMessage = 5_900;

export interface MessageListener {
  /** Returns false for a text that it cannot read. */
  message(text: string): boolean;
  /** Messages arrive from now on; earlier ones may have been lost. */
  missed(): void;
}

export interface Lease {
  readonly nodeId: string;
  readonly ttl: number;
  readonly expiresAt: number;
}

export type Renewal =
  | {
      readonly status: "renewed";
      readonly expiresAt: number;
      readonly lanes: readonly { readonly sessionId: string; readonly seq: number }[];
    }
  | { readonly status: "lost" };

export interface LivingNode {
  readonly nodeId: string;
  readonly expiresAt: number;
}

export interface OwnedLane {
  readonly nodeId: string;
  readonly sessionId: string;
}

export interface NodeLease {
  readonly expiresAt: number;
  readonly alive: boolean;
}

/** Something that belongs to the store as a whole and to no session, such as a token. */
export interface StoredRecord {
  readonly kind: string;
  readonly id: string;
  /** Counts the writes from 1. */
  readonly version: number;
  /** Whatever JSON can say. */
  readonly value: unknown;
  readonly updatedAt: number;
}

export interface RecordWrite {
  readonly kind: string;
  readonly id: string;
  readonly value: unknown;
  /** The version that this write replaces; null when there must be none. */
  readonly version: number | null;
}

export type RecordWritten =
  | { readonly status: "stored"; readonly record: StoredRecord }
  /** Another write came first: the record as it is now. */
  | { readonly status: "conflict"; readonly record: StoredRecord | null };

/** A content on its way into a prompt: what is accepted has it as a body, and needs this no more. */
export interface Upload extends NewUpload {
  readonly uploadedAt: number;
}

export interface NewUpload extends Body {
  readonly mediaType: string;
  readonly name: string | null;
}

export interface StoreSize {
  readonly bytes: number;
  /** Of these, what holds nothing; null where only the database knows. */
  readonly freeBytes: number | null;
}

export interface BodyRemoval {
  readonly hashes: readonly string[];
  /** Of the feed: the end that it had before anybody looked at what needs the bodies. */
  readonly since: string;
}

export interface PendingQuery {
  readonly limit: number;
  /** Directories that have no place for another run: starts in them would only hide others. */
  readonly full?: readonly string[] | "all";
  /** Directories that are not here: their lanes are for others, whatever they want but the time. */
  readonly absent?: readonly string[];
  /** Sessions whose next run is for other nodes: their starts are left out. */
  readonly left?: readonly string[];
  /** Only lanes that want one of these; all if left out. */
  readonly wants?: readonly PendingLane["wants"][];
}

export interface Pending {
  readonly lanes: readonly PendingLane[];
  /** Milliseconds until time alone makes a lane want something; null when nothing is foreseen. */
  readonly nextDueIn: number | null;
}

export interface PendingLane {
  readonly sessionId: string;
  readonly directory: string;
  /** start, work, takeOver: send run.start, work.start or lane.takeover. tick: send lane.tick. */
  readonly wants: "start" | "work" | "takeOver" | "tick";
  readonly seq: number;
  /** Store time since when the lane wants it. */
  readonly since: number;
}

/** What a lane is ready for, and since when by the store's clock. */
export interface ReadyLane {
  readonly directory: string;
  readonly wants: "start" | "work" | "takeOver";
  readonly since: number;
}

export type Signal =
  | {
      readonly kind: "lane";
      readonly sessionId: string;
      readonly seq: number;
      /** As of this version: no process need look at it. False also where that is not known. */
      readonly wantsNothing: boolean;
      /** What this process has just made the lane ready for; null otherwise, or if it is not known. */
      readonly ready: ReadyLane | null;
      /** Another process has written it. */
      readonly isForeign: boolean;
    }
  /** Signals may have been missed: look at everything again. */
  | { readonly kind: "missed" };

/** Adds the store's time; a spread of a union loses its cases, so it is done in one place. */
export function stamp(command: CommandInput, at: number): Command {
  const envelope: Omit<CommandEnvelope, "at"> & CommandData = command;
  return { ...envelope, at };
}
