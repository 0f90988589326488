import type { Account } from "../kernel/account.ts";
import type { Command, CommandData, CommandEnvelope } from "../kernel/command.ts";
import type { LaneEvent } from "../kernel/event.ts";
import type { AskRow, LedgerRow, WorkRow } from "../kernel/ledger.ts";
import type { LaneState } from "../kernel/state.ts";
import type { Answer } from "../kernel/transaction.ts";
import type { SearchReader, SearchWriter } from "./search/search.ts";
import type {
  HeldSession,
  SessionPage,
  SessionQuery,
  SessionSummary,
  StoredLane,
} from "./session-list.ts";

/** Read operations of a store. They return only committed data. */
export interface StoreReader extends SearchReader {
  lane(sessionId: string): Promise<LaneState | null>;
  prompt(sessionId: string, promptId: string): Promise<LedgerRow | null>;
  /** Lists a session's ledger rows in order of acceptSeq. */
  prompts(sessionId: string, page: Page<number>): Promise<readonly LedgerRow[]>;
  ask(sessionId: string, askId: string): Promise<AskRow | null>;
  /** Lists a session's asks in order of opening; the page key is an askId. */
  asks(sessionId: string, page: AskPage): Promise<readonly AskRow[]>;
  /** Lists open asks of all sessions, oldest first. */
  openAsks(page: Page<AskKey>): Promise<readonly AskRow[]>;
  work(sessionId: string, workId: string): Promise<WorkRow | null>;
  /**
   * Lists a session's events in order of seq, without gaps (T2). `page` can limit them to some types or to one subject.
   */
  events(sessionId: string, page: EventPage): Promise<readonly LaneEvent[]>;
  /** Reads the events of all sessions. None is skipped or repeated, and each session's events are in order (T2). */
  feed(page: Page<string>): Promise<FeedPage>;
  /** Returns the cursor after the last committed event. */
  feedEnd(): Promise<string>;
  /**
   * Returns a cursor before the first event at or after a time. In a store of several processes, some earlier events
   * may follow the cursor as well.
   */
  feedAt(time: number): Promise<string>;
  /** True if the text has the form of a feed cursor of this type of store. */
  isFeedCursor(text: string): boolean;
  body(hash: string): Promise<Uint8Array | null>;
  /** Lists session ids, sorted. */
  sessions(page: Page<string>): Promise<readonly string[]>;
  session(sessionId: string): Promise<SessionSummary | null>;
  /**
   * Lists sessions, latest activity first. A session that becomes active while a client reads page after page moves to
   * the front, so later pages may miss it.
   */
  listSessions(query: SessionQuery): Promise<SessionPage>;
  /**
   * Lists sessions whose lane is paused after a failure (L4), in these directories (null: in all), in order of id.
   * Reads every lane, so do not call it often.
   */
  failureHolds(directories: readonly string[] | null): Promise<readonly HeldSession[]>;
  /** Returns the lane with the columns by which queries find it, for tools that verify a store. */
  storedLane(sessionId: string): Promise<StoredLane | null>;
  /** Returns the lease of a process; null if it is unknown or was deleted long ago. */
  node(nodeId: string): Promise<NodeLease | null>;
  /** Lists processes with a current lease, in order of id. */
  nodes(): Promise<readonly LivingNode[]>;
  /** Lists every lane with an owner, even if the owner is gone, in order of owner. */
  ownedLanes(): Promise<readonly OwnedLane[]>;
  /** Returns those of the accounts that exist, in no particular order. */
  accounts(ids: readonly string[]): Promise<readonly Account[]>;
  record(kind: string, id: string): Promise<StoredRecord | null>;
  /** Lists the records of a kind in order of id. */
  records(kind: string, page: Page<string>): Promise<readonly StoredRecord[]>;
  upload(hash: string): Promise<Upload | null>;
  /** Returns the disk space that the store uses. */
  size(): Promise<StoreSize>;
  /** Returns the time by the store's clock, the only clock for leases, deadlines and events (L5). */
  now(): Promise<number>;
  close(): Promise<void>;
}

export interface Page<Key> {
  /** Key of the last item on the previous page; for the feed, a cursor. Null: from the beginning. */
  readonly after: Key | null;
  readonly limit: number;
}

export interface EventPage extends Page<number> {
  readonly types?: readonly LaneEvent["type"][];
  /**
   * Id of a prompt, run or exclusive operation. Returns only events of types that occur at most once for this id, such
   * as its start. Uses an index, so it is fast even in a long log.
   */
  readonly subject?: string;
}

export interface AskPage extends Page<string> {
  /** True: only open asks; false: only closed asks. */
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
      /** One cursor per event, so that a reader can continue after any of them. */
      readonly cursors: readonly string[];
      /** Cursor after the page. */
      readonly cursor: string;
      /** True: read the next page now. False: wait for a signal. */
      readonly more: boolean;
    }
  /**
   * The cursor belongs to another store or is too old: read the state again and continue from this cursor.
   */
  | { readonly status: "reset"; readonly cursor: string };

/** A command without its time: the store adds its own time inside the transaction. */
export type CommandInput = DistributiveOmit<Command, "at">;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export interface StoreRequest {
  readonly command: CommandInput;
  /** Content that the command's events refer to. It is stored in the same commit; equal content is stored once. */
  readonly bodies?: readonly Body[];
}

export interface Body {
  readonly hash: string;
  readonly content: Uint8Array;
}

export interface Store extends StoreReader, SearchWriter {
  /** Returns the lane's current state if it is cached; otherwise null. */
  peek(sessionId: string): LaneState | null;
  /**
   * Decides the command, and the commands that it sends to other lanes, in one transaction. Resolves when the result is
   * durable (P1). A refusal is a normal answer; a StoreError is thrown only if the store fails.
   */
  execute(request: StoreRequest): Promise<Answer>;
  /** Starts a process's lease. An id can be used only once: a process that lost its lease needs a new id. */
  join(lease: { nodeId: string; ttl: number }): Promise<Lease>;
  /** Extends the lease. Also returns the version of each lane that the process owns, in case signals were lost (L5). */
  renew(nodeId: string): Promise<Renewal>;
  /** Ends the lease now: other processes can take over the lanes. */
  leave(nodeId: string): Promise<void>;
  /**
   * Lists lanes that need an action now, longest waiting first. Reads stored state, so it does not depend on signals
   * (L3).
   */
  pending(query: PendingQuery): Promise<Pending>;
  /** Time by the store's clock since which the lane has been ready; null if the lane is not ready. */
  readySince(sessionId: string): Promise<number | null>;
  /** Writes a record if it still has the version that the caller has read. */
  putRecord(write: RecordWrite): Promise<RecordWritten>;
  /** Deletes a record. Returns true if it existed. */
  removeRecord(key: { kind: string; id: string }): Promise<boolean>;
  /** Stores content until `sweepUploads` deletes it. Adding the same content again postpones its deletion. */
  addUpload(upload: NewUpload): Promise<void>;
  /** Deletes uploads that were last added before the given time and returns their number. */
  sweepUploads(query: { before: number }): Promise<number>;
  /**
   * Deletes stored content, all of it or none. Returns false if anything was committed after the cursor, because new
   * events may refer to the content. Content that is sent again later is stored again.
   */
  removeBodies(removal: BodyRemoval): Promise<boolean>;
  /** Frees unused space. May take minutes, during which other work is slow. */
  compact(): Promise<void>;
  /** Calls the listener when a lane has changed. Signals may be lost, repeated or late, so never rely on them. */
  watch(listener: (signal: Signal) => void): () => void;
  /** Messages to other processes on the store; null if the store cannot have several processes. */
  readonly messages: NodeMessages | null;
  /**
   * Returns the number of notifications that were ignored since the store was opened: forged, repeated or unreadable.
   */
  rejectedNotifications(): number;
}

/** Sends texts between processes. Texts are not stored and may be lost. */
export interface NodeMessages {
  /** Sends messages of at most `maxMessage` bytes each. Returns false if they may be lost. Never throws. */
  send(messages: readonly string[]): Promise<boolean>;
  /** Calls the listener with messages of other processes. Messages of one sender arrive in order. */
  listen(listener: MessageListener): () => void;
}

/** Longest message in bytes: encrypted, it must fit into PostgreSQL's limit of 8,000. */
export const maxMessage = 5_900;

export interface MessageListener {
  /** Called with each text that arrives. Must return false if the text cannot be parsed. */
  message(text: string): boolean;
  /** Called when the connection was opened: messages sent before this moment may be lost. */
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

/** Data of the store as a whole, such as a token; it belongs to no session. */
export interface StoredRecord {
  readonly kind: string;
  readonly id: string;
  /** Number of writes, starting at 1. */
  readonly version: number;
  /** Any JSON value. */
  readonly value: unknown;
  readonly updatedAt: number;
}

export interface RecordWrite {
  readonly kind: string;
  readonly id: string;
  readonly value: unknown;
  /** The version that this write replaces; null: the record must not exist. */
  readonly version: number | null;
}

export type RecordWritten =
  | { readonly status: "stored"; readonly record: StoredRecord }
  /** Another write came first. `record` is the current record. */
  | { readonly status: "conflict"; readonly record: StoredRecord | null };

/**
 * Content that was uploaded for a later prompt. An accepted prompt stores its own copy, so the upload is not needed any
 * more.
 */
export interface Upload extends NewUpload {
  readonly uploadedAt: number;
}

export interface NewUpload extends Body {
  readonly mediaType: string;
  readonly name: string | null;
}

export interface StoreSize {
  readonly bytes: number;
  /** Unused part of `bytes`; null if the database does not report it. */
  readonly freeBytes: number | null;
}

export interface BodyRemoval {
  readonly hashes: readonly string[];
  /**
   * Cursor of the end of the event feed, read before the search for unused content began. If the feed has later events,
   * nothing is deleted, because these events may use the content.
   */
  readonly since: string;
}

export interface PendingQuery {
  readonly limit: number;
  /** Directories without capacity for another run: the result leaves out lanes that would start a run there. */
  readonly full?: readonly string[] | "all";
  /**
   * Directories that do not exist on this node. Other nodes start and take over the runs there. The result contains a
   * session of such a directory only if the command `lane.tick` is due, which every node may send. The session may need
   * a takeover as well.
   */
  readonly absent?: readonly string[];
  /** Leave out these sessions: their next run must start on another node. */
  readonly left?: readonly string[];
  /** Only lanes that need one of these commands; omitted: all lanes that need any command. */
  readonly wants?: readonly PendingLane["wants"][];
}

export interface Pending {
  readonly lanes: readonly PendingLane[];
  /** Milliseconds until the next lane needs a command, such as after a lease expires; null if no lane will. */
  readonly nextDueIn: number | null;
}

export interface PendingLane {
  readonly sessionId: string;
  readonly directory: string;
  /** `start`, `work`, `takeOver`: send run.start, work.start or lane.takeover. `tick`: send lane.tick. */
  readonly wants: "start" | "work" | "takeOver" | "tick";
  readonly seq: number;
  /** Time from which the lane has been waiting for this command, by the store's clock. */
  readonly since: number;
}

/**
 * A lane that is ready for a run, an exclusive operation or a takeover. `since`: when it became ready, by the store's
 * clock.
 */
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
      /** True if no process needs to act on the session in the state with this `seq`. False also if this is unknown. */
      readonly wantsNothing: boolean;
      /** Set if this process's commit made the lane ready; null if the lane is not ready, or if this is unknown. */
      readonly ready: ReadyLane | null;
      /** True if another process wrote the lane. */
      readonly isForeign: boolean;
    }
  /** Signals may have been lost: check everything again. */
  | { readonly kind: "missed" };

/**
 * Adds the store's time to a command. TypeScript does not accept `{ ...command, at }` as a Command, so only this
 * function does it.
 */
export function stamp(command: CommandInput, at: number): Command {
  const envelope: Omit<CommandEnvelope, "at"> & CommandData = command;
  return { ...envelope, at };
}
