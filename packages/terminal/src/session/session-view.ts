import { isEvent, trackInFlight } from "@holdfast/sdk";
import type {
  Ask,
  Holdfast,
  InFlight,
  SessionDetail,
  SessionHandle,
  WireEvent,
} from "@holdfast/sdk";
import { emptyConversation } from "@holdfast/model/conversation.ts";
import type { Conversation } from "@holdfast/model/conversation.ts";
import { changesLane } from "@holdfast/model/lane-events.ts";
import { takeEvent } from "@holdfast/model/take-event.ts";
import { learnPrompt, unknownPrompts } from "@holdfast/model/take-prompt.ts";
import { addOrigin, wholeConversation, wholeEvent } from "./whole-conversation.ts";

/** Number of events to read when a session is opened. `whole` reads all events. */
const firstPart = 400;

/** Events arrive in bursts: read the queue once for all events within this many milliseconds. */
const burst = 20;

/** Wait for a lost server without a limit, because people leave a terminal open for days. */
const patience = Infinity;

/** One session as the terminal shows it, kept up to date from its event stream. */
export interface SessionView {
  readonly handle: SessionHandle;
  readonly conversation: Conversation;
  readonly inFlight: InFlight | null;
  /** Queue, active run, usage; null until loaded. */
  readonly detail: SessionDetail | null;
  /** Seq of the last event that ended a run; 0 if no such event was read. `detail` may be older than this event. */
  readonly lastEnd: number;
  /** Permission requests and questions that wait for an answer, oldest first. */
  readonly asks: readonly OpenAsk[];
  /** True once all earlier events have been read, so that each further event is new. */
  readonly isLive: boolean;
  /** True if the event stream has ended with an error, so that nothing is updated any more. */
  readonly isEnded: boolean;
  /** Reads the conversation from its first event on, with the whole texts that the stream has cut. */
  whole(): Promise<Conversation>;
  /** Reads the session's state again soon. */
  refresh(): void;
  /** Shows a state that a request of this client returned, unless a newer state is known. */
  learn(state: SessionDetail): void;
  close(): void;
}

export type OpenAsk = Pick<Ask, "askId" | "question" | "extra" | "callId" | "sessionId">;

export interface SessionListener {
  /** Called when something that is shown has changed. */
  onChange(): void;
  /** Called with each event that was committed after the session was opened. */
  onNews(event: WireEvent): void;
  /** Called when the stream has ended: the session was deleted, or the server refuses the request. */
  onEnd(error: unknown): void;
  /** Called when the log no longer contains events that were read before. Everything is then read again. */
  onReset(): void;
}

export function openSessionView(
  holdfast: Holdfast,
  sessionId: string,
  listener: SessionListener,
): SessionView {
  const handle = holdfast.session(sessionId);
  const ended = new AbortController();
  const { signal } = ended;
  const tracker = trackInFlight();
  const asks = new Map<string, OpenAsk>();
  let conversation = emptyConversation();
  let detail: SessionDetail | null = null;
  let lastEnd = 0;
  let isLive = false;
  let isEnded = false;
  /** Whether the conversation lacks earlier events or parts of texts. */
  let isPartial = false;
  let refreshing: NodeJS.Timeout | null = null;

  const refresh = (): void => {
    refreshing ??= setTimeout(() => {
      refreshing = null;
      // If this fails, the last known state stays until the next event.
      void read().catch(() => {});
    }, burst);
  };
  const read = async (): Promise<void> => {
    learnState(await handle.get({ signal }));
  };
  const learnState = (next: SessionDetail): void => {
    if (detail === null || next.seq >= detail.seq) detail = next;
    // Before the view is live, a later event of the log may contain the text of a queued prompt.
    if (isLive) void learnQueue(next);
    listener.onChange();
  };
  const takeAsk = (event: WireEvent): void => {
    if (event.type === "ask.closed") asks.delete(event.askId);
    if (event.type !== "ask.opened") return;
    const { question = "", extra = null } = event.content ?? {};
    const { askId, callId } = event;
    asks.set(askId, { askId, callId, question, extra, sessionId });
  };
  const take = (event: WireEvent): void => {
    takeEvent(conversation, event);
    if ("truncated" in event && event.truncated) isPartial = true;
    takeAsk(event);
    if (event.type === "run.ended") lastEnd = event.seq;
    if (changesLane({ ...event, cursor: "" })) refresh();
    if (isLive) listener.onNews(event);
  };
  /** Loads the texts of prompts that were accepted before the first event that was read, and are shown now. */
  const learn = async (): Promise<void> => {
    for (const promptId of unknownPrompts(conversation)) await learnText(promptId);
  };
  const learnText = async (promptId: string): Promise<void> => {
    // If this fails, the next event or the next state of the session leads to another attempt.
    const prompt = await handle
      .promptById(promptId)
      .get({ signal })
      .catch(() => null);
    if (prompt === null) return;
    learnPrompt(conversation, prompt);
    listener.onChange();
  };
  const learnQueue = async ({ queue }: SessionDetail): Promise<void> => {
    for (const item of queue) {
      const isUnknown = item.kind === "prompt" && !conversation.prompts.has(item.promptId);
      if (isUnknown) await learnText(item.promptId);
    }
  };
  const load = async (): Promise<number> => {
    detail = await handle.get({ signal, patience });
    const after = Math.max(0, detail.seq - firstPart);
    isPartial = after > 0;
    for await (const ask of handle.eachAsk({ open: true, signal, patience }))
      asks.set(ask.askId, ask);
    return after;
  };
  /**
   * Streams shorten long texts. Reads the whole text of an answer or a question. Other texts are read when the user opens
   * them.
   */
  const wholeText = async (event: WireEvent): Promise<WireEvent> =>
    event.type === "step.answered" || event.type === "ask.opened"
      ? wholeEvent(event, { handle, signal })
      : event;
  /** Reads the session and follows its stream. Returns "reset" if the log no longer contains events that were read. */
  const followOnce = async (): Promise<"reset" | "ended"> => {
    const after = await load();
    listener.onChange();
    for await (const item of handle.events({ after, signal, patience })) {
      // Read before the tracker drops the streamed text, so that the text on the screen never becomes shorter.
      const whole = isEvent(item) ? await wholeText(item) : null;
      tracker.take(item);
      if (isEvent(item)) {
        if (item.type === "session.created" && item.origin !== null)
          await addOrigin(conversation, { handle, signal });
        take(whole ?? item);
        if (isLive) await learn();
      } else if (item.type === "live") {
        isLive = true;
        await learn();
        if (detail !== null) void learnQueue(detail);
      } else if (item.type === "reset") return "reset";
      listener.onChange();
    }
    return "ended";
  };
  const follow = async (): Promise<void> => {
    // After a reset, the stream continues at the end of the log. So read the session again, as if it was just opened.
    while ((await followOnce()) === "reset") {
      conversation = emptyConversation();
      // The state before the reset can have a higher seq than the state now.
      detail = null;
      lastEnd = 0;
      isLive = false;
      asks.clear();
      listener.onReset();
      listener.onChange();
    }
  };
  follow().catch((error: unknown) => {
    if (signal.aborted) return;
    isEnded = true;
    listener.onEnd(error);
  });
  return {
    handle,
    get conversation() {
      return conversation;
    },
    get inFlight() {
      return tracker.current;
    },
    get detail() {
      return detail;
    },
    get lastEnd() {
      return lastEnd;
    },
    get asks() {
      return [...asks.values()];
    },
    get isLive() {
      return isLive;
    },
    get isEnded() {
      return isEnded;
    },
    whole: async () => (isPartial ? wholeConversation(handle, signal) : conversation),
    refresh,
    learn: learnState,
    close: () => {
      ended.abort();
      if (refreshing !== null) clearTimeout(refreshing);
    },
  };
}
