import type { TranscriptBody, TranscriptMessage } from "../../agent/message.ts";
import type { SessionOrigin } from "../../kernel/event.ts";
import type { LaneState } from "../../kernel/state.ts";
import { makeBody } from "../../store/body.ts";
import type { Body } from "../../store/store.ts";
import { CommandRefused } from "../command-refused.ts";
import { exportPieces } from "../export.ts";
import { namedInMessages } from "../named-bodies.ts";
import { isTooDeep, maxNesting } from "../nesting.ts";
import { contentHash } from "../prompt.ts";
import { readTranscript } from "../transcript.ts";
import { nobody, stateOf } from "./command-parts.ts";
import type { ByActor, CommandParts } from "./command-parts.ts";

/** New sessions that begin with what another one has said (docs/decisions/0008). */
export interface CopyCommands {
  /** A session with the conversation of another up to a place in its log; null for all of it. */
  forkSession(input: ForkInput): Promise<LaneState>;
  /** A session as one JSON document, piece by piece, with every body that it refers to. */
  exportSession(sessionId: string): AsyncIterable<string>;
  /** An idle session with the conversation of an exported document, given as parsed JSON. */
  importSession(input: ImportInput): Promise<LaneState>;
}

export interface ForkInput extends ByActor {
  readonly sessionId: string;
  /** The last event's seq that the fork knows of; null for the log's end. */
  readonly at?: number | null;
  readonly newSessionId?: string;
}

export interface ImportInput extends ByActor {
  readonly document: unknown;
  readonly sessionId?: string;
  /** Where the new session works; the exported one's directory if left out. */
  readonly directory?: string;
}

export function copyCommands(parts: CommandParts): CopyCommands {
  const { store } = parts;

  const create = async (copy: {
    readonly sessionId: string;
    readonly directory: string;
    readonly title: string | null;
    readonly contentHash: string;
    readonly origin: (transcript: string) => SessionOrigin;
    readonly messages: readonly TranscriptMessage[];
    readonly bodies: readonly Body[];
    readonly by: ByActor;
  }): Promise<LaneState> => {
    const { sessionId, directory, title } = copy;
    const { actor = nobody } = copy.by;
    const content: TranscriptBody = { messages: copy.messages };
    const body = makeBody(JSON.stringify(content));
    const shape = { parent: null, budget: null, origin: copy.origin(body.hash) } as const;
    const hash = { contentHash: copy.contentHash };
    const { state } = await parts.send({
      command: { type: "session.create", sessionId, directory, ...shape, ...hash, actor },
      bodies: [...copy.bodies, body],
    });
    if (title === null || state.title !== null) return state;
    // A title is an extra: one that is refused leaves the copy as good as it is.
    const rename = { type: "session.rename", sessionId, title, auto: true, actor } as const;
    const named = await store.execute({ command: rename });
    return named.status === "done" ? named.state : state;
  };

  return {
    forkSession: async (input) => {
      const { sessionId, at = null } = input;
      const hash = contentHash({ fork: sessionId, at });
      const lane = await store.lane(sessionId);
      if (lane === null || lane.status === "deleted") {
        const forked = await repeated(parts, { hash, ...input });
        if (forked !== null) return forked;
        throw gone(sessionId, lane);
      }
      const seq = at ?? lane.seq;
      if (!Number.isSafeInteger(seq) || seq < 1 || seq > lane.seq) {
        const message = `at must be a seq of session ${sessionId}, from 1 to ${lane.seq}`;
        throw new CommandRefused({ code: "invalid", field: "at", message });
      }
      return create({
        sessionId: input.newSessionId ?? parts.newId("session"),
        directory: lane.directory,
        title: lane.title === null ? null : `${lane.title.slice(0, 190)} (fork)`,
        contentHash: hash,
        origin: (transcript) => ({ kind: "fork", sessionId, seq, transcript }),
        messages: await readTranscript(store, { sessionId, upTo: seq }),
        bodies: [],
        by: input,
      });
    },
    exportSession: async function* (sessionId) {
      const lane = await store.lane(sessionId);
      if (lane === null) throw gone(sessionId, lane);
      yield* exportPieces(store, sessionId);
    },
    importSession: async (input) => {
      // Loaded by those who import: its schemas are of no use to others.
      const { readDocument } = await import("../document.ts");
      const { state, messages, bodies } = await readDocument(input.document);
      if (isTooDeep(messages)) {
        throw brokenDocument(`its messages are nested more than ${maxNesting} levels deep`);
      }
      const directory = input.directory ?? state.directory;
      const clean = messages.map((message) => redactAll(parts.redact, message));
      return create({
        sessionId: input.sessionId ?? parts.newId("session"),
        directory,
        title: state.title === null ? null : parts.redact(state.title),
        contentHash: contentHash({ import: messages, directory }),
        origin: (transcript) => ({ kind: "import", transcript }),
        messages: clean,
        bodies: namedInMessages({ messages: clean }).map(({ hash }) => {
          const content = bodies.get(hash);
          if (content === undefined) throw brokenDocument(`body ${hash} is missing`);
          parts.expectNoKey("document", content);
          return { hash, content };
        }),
        by: input,
      });
    },
  };
}

/** The fork that an earlier request has made: it needs its source no more (P3). */
async function repeated(
  parts: CommandParts,
  fork: { hash: string; newSessionId?: string } & ByActor,
): Promise<LaneState | null> {
  const { hash, newSessionId: sessionId, actor = nobody } = fork;
  const known = sessionId === undefined ? null : await parts.store.lane(sessionId);
  if (known === null) return null;
  const { directory } = known;
  const empty = { parent: null, budget: null, origin: null } as const;
  const create = { type: "session.create", contentHash: hash, directory, ...empty } as const;
  return stateOf(parts, { ...create, sessionId: known.sessionId, actor });
}

/** The same with no key in any of its strings. */
function redactAll<Value>(redact: (text: string) => string, value: Value): Value {
  const clean: Value = JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === "string" ? redact(part) : part,
  );
  return clean;
}

function gone(sessionId: string, lane: LaneState | null): CommandRefused {
  return lane === null
    ? new CommandRefused({ code: "unknownSession", message: `there is no session ${sessionId}` })
    : new CommandRefused({ code: "deleted", message: "the session was deleted" });
}

function brokenDocument(message: string): CommandRefused {
  return new CommandRefused({ code: "invalid", field: "document", message });
}
