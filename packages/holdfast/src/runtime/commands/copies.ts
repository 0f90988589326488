import type { SessionOrigin } from "../../kernel/event.ts";
import type { LaneState, SessionMode } from "../../kernel/state.ts";
import type { Body, StoreReader } from "../../store/store.ts";
import { CommandRefused } from "../../runner/command-refused.ts";
import { exportPieces, makeTranscript } from "../copies/export.ts";
import { createMutex } from "../../base/serial.ts";
import { contentHash } from "../../runner/prompt.ts";
import { readMode } from "../../runner/session-mode.ts";
import { readTranscript } from "../../log/transcript.ts";
import type { IsEnd } from "../../log/transcript.ts";
import { nobody, stateOf } from "./command-context.ts";
import type { ByActor, CommandContext } from "./command-context.ts";
import { randomUUID } from "node:crypto";
import { readSync } from "node:fs";
import { open, unlink } from "node:fs/promises";
import { join } from "node:path";

/** Commands that copy a conversation: fork, export and import (docs/decisions/0008). */
export interface CopyCommands {
  /** Creates a session with the conversation of another session, or with the beginning of it. */
  forkSession(input: ForkInput): Promise<LaneState>;
  /** Exports a session as one JSON document, in pieces, with all stored content that it refers to. */
  exportSession(sessionId: string): AsyncIterable<string>;
  /** Creates an idle session with the conversation from an exported document. */
  importSession(input: ImportInput): Promise<LaneState>;
}

export interface ForkInput extends ByActor {
  readonly sessionId: string;
  /** Seq of the last event to include; null: the end of the log. */
  readonly at?: number | null;
  /**
   * Id of the first prompt to leave out; null: no prompt is left out. If the session itself is a fork or an import, the
   * prompt may be one of its copied prompts.
   */
  readonly before?: string | null;
  readonly newSessionId?: string;
}

export interface ImportInput extends ByActor {
  /** The document's bytes as they arrive. They are stored on disk until the import ends. */
  readonly document: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  readonly sessionId?: string;
  /** Chooses the directory of the new session. Default: the directory of the exported session. */
  readonly chooseDirectory?: (recorded: string) => Promise<string>;
  /** Aborts when the client no longer waits for the answer. The rest of the document is then not read. */
  readonly signal?: AbortSignal;
}

export function copyCommands(context: CommandContext): CopyCommands {
  const { store } = context;
  const inTurn = createMutex();
  let imports = 0;

  const create = async (copy: {
    readonly sessionId: string;
    readonly directory: string;
    readonly title: string | null;
    readonly mode?: SessionMode;
    readonly agent?: string | null;
    readonly contentHash: string;
    readonly origin: (transcript: string) => SessionOrigin;
    readonly transcript: string;
    /** The stored content of the transcript, and all other content that the transcript refers to. */
    readonly bodies: readonly Body[];
    readonly by: ByActor;
  }): Promise<LaneState> => {
    const { sessionId, directory, title, agent = null } = copy;
    const { actor = nobody } = copy.by;
    const origin = copy.origin(copy.transcript);
    const shape = { parent: null, budget: null, agent, origin } as const;
    const hash = { contentHash: copy.contentHash };
    let { state } = await context.send({
      command: { type: "session.create", sessionId, directory, ...shape, ...hash, actor },
      bodies: copy.bodies,
    });
    const { mode = "ask" } = copy;
    if (mode !== "ask" && state.mode === null) {
      state = await stateOf(context, { type: "session.setMode", sessionId, mode, actor });
    }
    if (title === null || state.title !== null) return state;
    // The title is optional: the copy is complete even if the rename is refused.
    const rename = { type: "session.rename", sessionId, title, auto: true, actor } as const;
    const named = await store.execute({ command: rename });
    return named.status === "done" ? named.state : state;
  };

  const importFrom = async (document: Spool, input: ImportInput): Promise<LaneState> => {
    const { chooseDirectory = async (recorded) => recorded, signal } = input;
    signal?.throwIfAborted();
    await using contents = await openSpool(context.spoolFolder);
    const { readInThread } = await import("../copies/import-thread.ts");
    const { directory, title, transcript, ...read } = await readInThread({
      file: document.file,
      contents: contents.file,
      secrets: context.secrets(),
      chooseDirectory,
      signal,
    });
    return await create({
      sessionId: input.sessionId ?? context.newId("session"),
      directory,
      title,
      contentHash: read.contentHash,
      origin: (hash) => ({ kind: "import", transcript: hash }),
      transcript,
      bodies: read.bodies.map((body) => bodyInSpool(contents.file, body)),
      by: input,
    });
  };

  return {
    forkSession: async (input) => {
      const { sessionId, at = null, before = null } = input;
      const hash = contentHash({ fork: sessionId, at, ...(before === null ? {} : { before }) });
      const lane = await store.lane(sessionId);
      if (lane === null || lane.status === "deleted") {
        const forked = await repeated(context, { hash, ...input });
        if (forked !== null) return forked;
        throw gone(sessionId, lane);
      }
      const seq = at ?? lane.seq;
      if (!Number.isSafeInteger(seq) || seq < 1 || seq > lane.seq) {
        const message = `at must be a seq of session ${sessionId}, from 1 to ${lane.seq}`;
        throw new CommandRefused({ code: "invalid", field: "at", message });
      }
      const copied = await copyMessages(store, { sessionId, upTo: seq, before });
      return create({
        sessionId: input.newSessionId ?? context.newId("session"),
        directory: lane.directory,
        title: lane.title === null ? null : `${lane.title.slice(0, 190)} (fork)`,
        mode: await readMode((id) => store.lane(id), sessionId),
        agent: lane.agent,
        contentHash: hash,
        origin: (first) => ({ kind: "fork", sessionId, seq: copied.seq, transcript: first }),
        transcript: copied.transcript,
        bodies: copied.bodies,
        by: input,
      });
    },
    exportSession: async function* (sessionId) {
      const lane = await store.lane(sessionId);
      if (lane === null) throw gone(sessionId, lane);
      yield* exportPieces(store, sessionId);
    },
    importSession: async (input) => {
      if (imports >= maxImports) throw tooManyImports();
      imports += 1;
      try {
        await using document = await openSpool(context.spoolFolder);
        for await (const piece of input.document) await document.write(piece);
        // Read only one document at a time, because reading needs much memory.
        return await inTurn(() => importFrom(document, input));
      } finally {
        imports -= 1;
      }
    },
  };
}

/** Copies the messages of a session up to the event `upTo`, or up to the prompt `before` if it comes earlier. */
async function copyMessages(
  store: StoreReader,
  source: { readonly sessionId: string; readonly upTo: number; readonly before: string | null },
): Promise<{ transcript: string; bodies: readonly Body[]; seq: number }> {
  const { sessionId, upTo, before } = source;
  const bodies: Body[] = [];
  const end: { seq: number | null } = { seq: null };
  const isEnd: IsEnd = (message, seq) => {
    if (message.role !== "user" || message.promptId !== before) return false;
    end.seq = seq;
    return true;
  };
  const messages = readTranscript(store, { sessionId, upTo, isEnd });
  const transcript = await makeTranscript(messages, (body) => bodies.push(body));
  if (before === null) return { transcript, bodies, seq: upTo };
  if (end.seq !== null) return { transcript, bodies, seq: Math.max(1, end.seq - 1) };
  const message = `the conversation of session ${sessionId} has no prompt ${before}`;
  throw new CommandRefused({ code: "unknownPrompt", message });
}

/** Maximum number of concurrent imports. Each stores its document on disk; only one document is read at a time. */
const maxImports = 16;

function tooManyImports(): CommandRefused {
  const message = `${maxImports} imports are running; try again when one has finished`;
  return new CommandRefused({ code: "queueFull", limit: maxImports, message });
}

/**
 * Returns the fork that an earlier identical request created; null if there is none. The source session need not exist
 * any more (P3).
 */
async function repeated(
  context: CommandContext,
  fork: { hash: string; newSessionId?: string } & ByActor,
): Promise<LaneState | null> {
  const { hash, newSessionId: sessionId, actor = nobody } = fork;
  const known = sessionId === undefined ? null : await context.store.lane(sessionId);
  if (known === null) return null;
  const { directory } = known;
  const empty = { parent: null, budget: null, origin: null } as const;
  const create = { type: "session.create", contentHash: hash, directory, ...empty } as const;
  return stateOf(context, { ...create, sessionId: known.sessionId, actor });
}

function gone(sessionId: string, lane: LaneState | null): CommandRefused {
  return lane === null
    ? new CommandRefused({ code: "unknownSession", message: `there is no session ${sessionId}` })
    : new CommandRefused({ code: "deleted", message: "the session was deleted" });
}

/** A private file without a name. The operating system removes it when it is closed or the process ends. */
interface Spool {
  /** The file's descriptor. */
  readonly file: number;
  write(piece: Uint8Array): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Position of one piece of content in the temporary file. */
export interface SpooledBody {
  readonly hash: string;
  readonly start: number;
  readonly length: number;
}

async function openSpool(folder: string): Promise<Spool> {
  const path = join(folder, `.holdfast-import-${randomUUID()}`);
  const handle = await open(path, "wx+", 0o600);
  await unlink(path);
  return {
    file: handle.fd,
    write: async (piece) => {
      await handle.write(piece);
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** Returns content that stays in the temporary file: every access to `content` reads the file. */
function bodyInSpool(file: number, { hash, start, length }: SpooledBody): Body {
  return {
    hash,
    get content() {
      const content = Buffer.allocUnsafeSlow(length);
      for (let read = 0; read < length;) {
        const count = readSync(file, content, {
          offset: read,
          length: length - read,
          position: start + read,
        });
        if (count === 0) throw new Error(`the temporary file of content ${hash} is incomplete`);
        read += count;
      }
      return content;
    },
  };
}
