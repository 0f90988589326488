import { answeredAlike, ownSession } from "./after-repeat.ts";
import { hashesOf } from "./attachments.ts";
import type { AttachmentContent } from "./attachments.ts";
import { call } from "./call.ts";
import type { RouteInput } from "./call.ts";
import { downloadText } from "./download.ts";
import type { Refused } from "./errors.ts";
import { newId } from "./ids.ts";
import { eachItem } from "./pages.ts";
import type { Page } from "./pages.ts";
import { promptHandle } from "./prompt.ts";
import type { AcceptedPrompt, PromptHandle } from "./prompt.ts";
import { untilReverted } from "./reverted.ts";
import { sessionStream } from "./session-stream.ts";
import type { SessionEventsOptions, SessionItem } from "./session-stream.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type {
  AnswerInput,
  Ask,
  AskPage,
  Attachment,
  CancelInput,
  Changes,
  ForkInput,
  Hold,
  HoldInput,
  HoldList,
  Message,
  MessagePage,
  Prompt,
  PromptInput,
  PromptPage,
  Receipt,
  RevertInput,
  RevertPlan,
  Routes,
  Run,
  RunPage,
  Session,
  SessionDetail,
  SessionMode,
  SessionNotice,
  SessionPage,
  Step,
  WholeChange,
  WireEvent,
  Work,
} from "./types.gen.ts";

type PageOptions = CallOptions & Routes[`GET ${typeof base}/messages`]["query"];
type AskOptions = CallOptions & Routes[`GET ${typeof base}/asks`]["query"];

/** Options of `session.prompt`: delivery, budget, expiry and more. */
export interface PromptOptions extends CallOptions, Omit<PromptInput, "text" | "attachments"> {
  /** Uploaded attachments or their hashes, or content to upload first. */
  readonly attachments?: readonly (string | Attachment | AttachmentContent)[];
}

/**
 * A session. Creating a handle sends no request; each method does.
 *
 * @example
 * const session = holdfast.session("session-4f2a");
 * const prompt = await session.prompt("fix the typo", { delivery: "steer" });
 * // Follows the session until you leave the loop.
 * for await (const event of session.events({ after: "now" })) console.log(event.type);
 */
export interface SessionHandle {
  readonly sessionId: string;
  /** Returns the session with its active run and its queue. */
  get(options?: CallOptions): Promise<SessionDetail>;
  /** Changes the title. */
  rename(title: string, options?: CallOptions): Promise<SessionDetail>;
  /** Marks the session as archived. Runs continue, and the next prompt removes the mark. */
  archive(options?: CallOptions): Promise<SessionDetail>;
  /** Removes the archived mark. */
  unarchive(options?: CallOptions): Promise<SessionDetail>;
  /** Sets the permission mode. It applies from the next tool call on, in child sessions too. */
  setMode(mode: SessionMode, options?: CallOptions): Promise<SessionDetail>;
  /**
   * Sets the agent of later runs whose prompt names no agent. Null: the default agent of the directory. The active run
   * keeps its agent.
   *
   * @example
   * await session.setAgent("claude");
   */
  setAgent(agent: string | null, options?: CallOptions): Promise<SessionDetail>;
  /** Deletes the session: cancels its unfinished prompts and refuses new ones. */
  delete(options?: CallOptions): Promise<void>;
  /** Creates a session that starts with a copy of this session's messages, up to a chosen one. */
  fork(input?: ForkInput & CallOptions): Promise<SessionHandle>;
  /** Lists the sessions that runs of this session have created. */
  children(options?: PageOptions): Promise<SessionPage>;
  /** Yields the sessions of all pages of `children`. */
  eachChild(options?: PageOptions): AsyncGenerator<Session>;
  /** Lists the messages of the conversation. */
  messages(options?: PageOptions): Promise<MessagePage>;
  /** Yields the messages of all pages of `messages`. */
  eachMessage(options?: PageOptions): AsyncGenerator<Message>;
  /** Exports the session as a JSON document, in chunks of text. */
  export(options?: CallOptions): AsyncGenerator<string>;

  /** Sends a prompt. Resolves when the server has stored it (P1); the outcome comes later. */
  prompt(text: string, options?: PromptOptions): Promise<AcceptedPrompt>;
  /** Returns a handle for a prompt that was sent earlier. Sends no request. */
  promptById(promptId: string): PromptHandle;
  /** Lists all prompts of the session with their state. */
  prompts(options?: PageOptions): Promise<PromptPage>;
  /** Yields the prompts of all pages of `prompts`. */
  eachPrompt(options?: PageOptions): AsyncGenerator<Prompt>;

  /** Cancels the active run and all waiting prompts. Prompts that are sent later are not affected (C1). */
  cancel(input?: CancelInput & CallOptions): Promise<Receipt>;
  /** Cancels all waiting prompts. The active run continues. */
  clearQueue(options?: CallOptions & { cancelId?: string }): Promise<Receipt>;
  /** Lists the holds that keep the session paused. */
  holds(options?: CallOptions): Promise<readonly Hold[]>;
  /** Pauses the session: it accepts prompts but starts no run. Returns the id for `release`. */
  hold(input?: HoldInput & CallOptions): Promise<string>;
  /** Removes a hold. The session resumes when no hold is left. */
  release(holdId: string, options?: CallOptions): Promise<void>;

  /** Lists the runs of the session, latest first. */
  runs(options?: PageOptions): Promise<RunPage>;
  /** Yields the runs of all pages of `runs`. */
  eachRun(options?: PageOptions): AsyncGenerator<Run>;
  /** Returns one run. */
  run(runId: string, options?: CallOptions): Promise<Run>;
  /** Returns the steps of a run with their tool calls. */
  steps(runId: string, options?: CallOptions): Promise<readonly Step[]>;
  /** Lists the files that the session, or one of its runs, has changed. */
  changes(options?: { runId?: string } & CallOptions): Promise<Changes>;
  /** Returns the diff of one changed file. */
  change(
    path: string,
    options?: { runId?: string; context?: number } & CallOptions,
  ): Promise<WholeChange>;
  /** Returns the file changes that `revert` would make. */
  planRevert(runId: string, options?: CallOptions): Promise<RevertPlan>;
  /** Undoes a run's file changes. Waits in the queue, and resolves when the files are back. */
  revert(runId: string, input?: RevertInput & CallOptions): Promise<Work>;
  /** Returns the state of an exclusive operation, such as a revert. */
  work(workId: string, options?: CallOptions): Promise<Work>;

  /** Lists the permission requests and questions of this session. */
  asks(options?: AskOptions): Promise<AskPage>;
  /** Yields the entries of all pages of `asks`. */
  eachAsk(options?: AskOptions): AsyncGenerator<Ask>;
  /** Answers a permission request or question. The first answer counts; later ones get `askClosed`. */
  answer(askId: string, answer: AnswerInput & CallOptions): Promise<Ask>;
  /** Returns the whole diff or command that a permission request is about. Lists contain only the first lines. */
  askPreview(askId: string, options?: CallOptions): Promise<string>;

  /** Follows the session: all events once and in order (T2), with deltas in between. Reconnects by itself. */
  events(options?: SessionEventsOptions): AsyncGenerator<SessionItem>;
  /** Returns one event with its complete content. Streams cut long texts. */
  event(seq: number, options?: CallOptions): Promise<WireEvent>;

  /** Returns whether an event should notify the person behind this token now. */
  notice(seq: number, options?: CallOptions): Promise<SessionNotice>;
  /** Records that the person has seen the session up to this event. The person's other devices then do not notify. */
  markSeen(seq: number, options?: CallOptions): Promise<void>;
}

export function sessionHandle(transport: Transport, sessionId: string): SessionHandle {
  const params = { sessionId };
  const change = (
    body: RouteInput<`PATCH ${typeof base}`>["body"],
    options: CallOptions = {},
  ): Promise<SessionDetail> => call(transport, `PATCH ${base}`, { params, body, ...options });
  const handle: SessionHandle = {
    sessionId,
    get: (options = {}) => call(transport, `GET ${base}`, { params, ...options }),
    rename: (title, options) => change({ title }, options),
    archive: (options) => change({ archived: true }, options),
    unarchive: (options) => change({ archived: false }, options),
    setMode: (mode, options) => change({ mode }, options),
    setAgent: (agent, options) => change({ agent }, options),
    delete: async (options = {}) => {
      const afterRepeat = async ({ code }: Refused): Promise<SessionDetail | null> =>
        code === "deleted" ? handle.get(options) : null;
      await call(transport, `DELETE ${base}`, { params, ...options, afterRepeat });
    },
    fork: async ({ signal, patience, ...input } = {}) => {
      const own = ownSession(transport, input.sessionId, { signal, patience });
      const body = { ...input, sessionId: own.sessionId };
      await call(transport, `POST ${base}/fork`, { params, body, ...own.options });
      return sessionHandle(transport, own.sessionId);
    },
    children: (options) => call(transport, `GET ${base}/children`, paged(params, options)),
    eachChild: (options) => each(options, (page) => handle.children(page)),
    messages: (options) => call(transport, `GET ${base}/messages`, paged(params, options)),
    eachMessage: (options) => each(options, (page) => handle.messages(page)),
    export: (options = {}) => downloadText(transport, { path: `${base}/export`, params }, options),

    prompt: async (text, { signal, patience, attachments = [], ...input } = {}) => {
      const options = { signal, patience };
      // The id is chosen before the first attempt, so that retries are the same prompt (P3).
      const { promptId = newId("prompt") } = input;
      const hashes = await hashesOf(transport, attachments, options);
      const along = hashes.length === 0 ? {} : { attachments: hashes };
      const words = text === "" ? {} : { text };
      const body = { ...input, ...along, promptId, ...words };
      const entry = await call(transport, `POST ${base}/prompts`, { params, body, ...options });
      const { acceptSeq } = entry;
      return { ...promptHandle(transport, { sessionId, promptId }, acceptSeq), entry };
    },
    promptById: (promptId) => promptHandle(transport, { sessionId, promptId }, null),
    prompts: (options) => call(transport, `GET ${base}/prompts`, paged(params, options)),
    eachPrompt: (options) => each(options, (page) => handle.prompts(page)),

    cancel: ({ signal, patience, cancelId = newId("cancel"), ...input } = {}) => {
      const body = { ...input, cancelId };
      return call(transport, `POST ${base}/cancel`, { params, body, signal, patience });
    },
    clearQueue: ({ cancelId = newId("cancel"), ...options } = {}) =>
      call(transport, `POST ${base}/queue/clear`, { params, body: { cancelId }, ...options }),
    holds: async (options = {}) =>
      (await call(transport, `GET ${base}/holds`, { params, ...options })).items,
    hold: async ({ signal, patience, holdId = newId("hold"), ...input } = {}) => {
      const body = { ...input, holdId };
      await call(transport, `POST ${base}/holds`, { params, body, signal, patience });
      return holdId;
    },
    release: async (holdId, options = {}) => {
      const target = { ...params, holdId };
      const path = `DELETE ${base}/holds/{holdId}` as const;
      await call(transport, path, { params: target, ...options, afterRepeat: releasedBefore });
    },

    runs: (options) => call(transport, `GET ${base}/runs`, paged(params, options)),
    eachRun: (options) => each(options, (page) => handle.runs(page)),
    run: (runId, options = {}) =>
      call(transport, `GET ${runPath}`, { params: { sessionId, runId }, ...options }),
    steps: async (runId, options = {}) =>
      (await call(transport, `GET ${runPath}/steps`, { params: { sessionId, runId }, ...options }))
        .items,
    changes: (options) => call(transport, `GET ${base}/changes`, paged(params, options)),
    change: (path, { signal, patience, ...options } = {}) => {
      const input = { params, query: { ...options, path }, signal, patience };
      return call(transport, `GET ${base}/changes/file`, input);
    },
    planRevert: (runId, options = {}) =>
      call(transport, `GET ${runPath}/revert`, { params: { sessionId, runId }, ...options }),
    revert: (runId, input = {}) => untilReverted(transport, { sessionId, runId }, input),
    work: (workId, options = {}) =>
      call(transport, `GET ${base}/work/{workId}`, { params: { sessionId, workId }, ...options }),

    asks: (options) => call(transport, `GET ${base}/asks`, paged(params, options)),
    eachAsk: (options) => each(options, (page) => handle.asks(page)),
    askPreview: async (askId, options = {}) => {
      const target = { sessionId, askId };
      const path = `GET ${base}/asks/{askId}/preview` as const;
      return (await call(transport, path, { params: target, ...options })).text;
    },
    answer: (askId, { signal, patience, ...body }) => {
      const afterRepeat = async (refused: Refused): Promise<Ask | null> =>
        answeredAlike(refused, body.verdict);
      const target = { sessionId, askId };
      const rest = { body, signal, patience, afterRepeat };
      return call(transport, `POST ${base}/asks/{askId}/answer`, { params: target, ...rest });
    },

    events: (options = {}) => sessionStream(transport, sessionId, options),
    event: (seq, options = {}) =>
      call(transport, `GET ${base}/events/{seq}`, { params: { sessionId, seq }, ...options }),

    notice: (seq, options = {}) =>
      call(transport, `GET ${base}/notices/{seq}`, { params: { sessionId, seq }, ...options }),
    markSeen: async (seq, options = {}) => {
      await call(transport, `POST ${base}/seen`, { params, body: { seq }, ...options });
    },
  };
  return handle;
}

const base = "/v1/sessions/{sessionId}";
const runPath = "/v1/sessions/{sessionId}/runs/{runId}";

async function releasedBefore({ code }: Refused): Promise<HoldList | null> {
  return code === "unknownHold" ? { items: [] } : null;
}

/** Separates query options from call options. */
function paged<Params, Options extends CallOptions>(params: Params, options: Options | undefined) {
  const { signal, patience, ...query } = options ?? {};
  return { params, query, signal, patience };
}

function each<Item>(
  options: AskOptions | undefined,
  list: (options: AskOptions) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  return eachItem(options?.after, (after) => list({ ...options, after }));
}
