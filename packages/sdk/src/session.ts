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
  SessionPage,
  Step,
  WireEvent,
  Work,
} from "./types.gen.ts";

type PageOptions = CallOptions & Routes[`GET ${typeof base}/messages`]["query"];
type AskOptions = CallOptions & Routes[`GET ${typeof base}/asks`]["query"];

export interface PromptOptions extends CallOptions, Omit<PromptInput, "text" | "attachments"> {
  /** Hashes of what was uploaded, or content that is uploaded first. */
  readonly attachments?: readonly (string | Attachment | AttachmentContent)[];
}

/** A session by its id. Making one of these asks nobody; each method asks the server. */
export interface SessionHandle {
  readonly sessionId: string;
  get(options?: CallOptions): Promise<SessionDetail>;
  rename(title: string, options?: CallOptions): Promise<SessionDetail>;
  /** A label: nothing stops, and the next prompt takes the label off again. */
  archive(options?: CallOptions): Promise<SessionDetail>;
  unarchive(options?: CallOptions): Promise<SessionDetail>;
  /** Cancels all that is unsettled, and refuses new prompts. */
  delete(options?: CallOptions): Promise<void>;
  /** A new session that begins with this one's messages, up to a place. */
  fork(input?: ForkInput & CallOptions): Promise<SessionHandle>;
  children(options?: PageOptions): Promise<SessionPage>;
  eachChild(options?: PageOptions): AsyncGenerator<Session>;
  messages(options?: PageOptions): Promise<MessagePage>;
  eachMessage(options?: PageOptions): AsyncGenerator<Message>;
  /** The session as a document, in pieces of text. */
  export(options?: CallOptions): AsyncGenerator<string>;

  /** Resolves when the prompt is durable (P1); its outcome comes later. */
  prompt(text: string, options?: PromptOptions): Promise<AcceptedPrompt>;
  /** A prompt that was accepted earlier. */
  promptById(promptId: string): PromptHandle;
  prompts(options?: PageOptions): Promise<PromptPage>;
  eachPrompt(options?: PageOptions): AsyncGenerator<Prompt>;

  /** Cancels what is unsettled now, and nothing that is sent later (C1). */
  cancel(input?: CancelInput & CallOptions): Promise<Receipt>;
  /** Cancels what waits, and leaves the active run alone. */
  clearQueue(options?: CallOptions & { cancelId?: string }): Promise<Receipt>;
  holds(options?: CallOptions): Promise<readonly Hold[]>;
  /** Prompts are accepted, no run starts; answers the hold's id, to release it by. */
  hold(input?: HoldInput & CallOptions): Promise<string>;
  release(holdId: string, options?: CallOptions): Promise<void>;

  runs(options?: PageOptions): Promise<RunPage>;
  eachRun(options?: PageOptions): AsyncGenerator<Run>;
  run(runId: string, options?: CallOptions): Promise<Run>;
  steps(runId: string, options?: CallOptions): Promise<readonly Step[]>;
  /** What undoing a run's changes to files would do. */
  planRevert(runId: string, options?: CallOptions): Promise<RevertPlan>;
  /** Undoes them, as work that waits for its place in the queue; resolves when that is done. */
  revert(runId: string, input?: RevertInput & CallOptions): Promise<Work>;
  /** Exclusive work, such as a revert, as it is now. */
  work(workId: string, options?: CallOptions): Promise<Work>;

  asks(options?: AskOptions): Promise<AskPage>;
  eachAsk(options?: AskOptions): AsyncGenerator<Ask>;
  /** The first answer counts; a later one is `Refused` with the code askClosed. */
  answer(askId: string, answer: AnswerInput & CallOptions): Promise<Ask>;

  /** Every event once, in order, over as many connections as it takes (T2); deltas in between. */
  events(options?: SessionEventsOptions): AsyncGenerator<SessionItem>;
  /** One event with its whole content, where the stream has cut a long text. */
  event(seq: number, options?: CallOptions): Promise<WireEvent>;
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
      // The id is made before the first sending, so that all sendings are one prompt (P3).
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
    planRevert: (runId, options = {}) =>
      call(transport, `GET ${runPath}/revert`, { params: { sessionId, runId }, ...options }),
    revert: (runId, input = {}) => untilReverted(transport, { sessionId, runId }, input),
    work: (workId, options = {}) =>
      call(transport, `GET ${base}/work/{workId}`, { params: { sessionId, workId }, ...options }),

    asks: (options) => call(transport, `GET ${base}/asks`, paged(params, options)),
    eachAsk: (options) => each(options, (page) => handle.asks(page)),
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
  };
  return handle;
}

const base = "/v1/sessions/{sessionId}";
const runPath = "/v1/sessions/{sessionId}/runs/{runId}";

async function releasedBefore({ code }: Refused): Promise<HoldList | null> {
  return code === "unknownHold" ? { items: [] } : null;
}

/** Parts of the options that go into the query, and those that are about the call. */
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
