import { isEvent } from "@holdfast/sdk";
import type { Holdfast, SessionDetail, SessionItem, WireEvent } from "@holdfast/sdk";
import { createAsks } from "./asks.ts";
import type { Answerer } from "./asks.ts";
import type { Lines } from "./lines.ts";
import { terminalInput } from "./person.ts";
import { createJsonView, createTextView } from "./view.ts";
import type { View } from "./view.ts";
import { watchFamily } from "./watch-family.ts";
import type { FamilyWatch } from "./watch-family.ts";

export interface Screen {
  readonly watch: FamilyWatch;
  readonly view: View;
  /** Marks a prompt, and the runs that contain it, as the user's own. */
  sends(promptId: string): void;
  /** False for a prompt that had its outcome before this screen opened: its answer was not shown. */
  hasShownEnd(promptId: string): boolean;
  /** Interrupts an open question to ask the person something else, then shows the open question again. */
  before<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Withdraws open questions, and asks no more. */
  endQuestions(): Promise<void>;
  close(): Promise<void>;
}

/** Shows the work of a session and its children, and asks the user for permissions. */
export async function openScreen(
  holdfast: Holdfast,
  options: {
    sessionId: string;
    lines: Lines;
    isJson: boolean;
    allowsAll: boolean;
    /** The prompt that this command continues; null if the command sends a new prompt. */
    continued: string | null;
    /** True if others may use the session: `--yes` answers only for the user's own prompts. */
    isShared: boolean;
    onGone: () => void;
    onError: (error: unknown) => void;
  },
): Promise<Screen> {
  const { sessionId, lines, isJson, isShared, onGone, onError } = options;
  const view = isJson ? createJsonView() : createTextView({ sessionId, lines });
  const answerer = answererOf(options);
  const asks = createAsks(holdfast, { lines, answerer, onGone, onError });
  const runs = createOwnRuns();
  const shownEnds = new Set<string>();
  if (options.continued !== null) runs.prompt(options.continued);
  const opened = (ask: { sessionId: string; runId: string; askId: string }): void => {
    if (!isShared || answerer === "person" || runs.isOwn(ask)) asks.opened(ask);
  };
  /**
   * With a server, show only the work of the user's own prompts: earlier prompts of the queue are shown by the commands
   * that sent them. Without a server, this process runs all prompts and shows all of them.
   */
  const isShown = (item: SessionItem): boolean => isJson || !isShared || !runs.isForeign(item);
  const join = async (session: SessionDetail): Promise<void> => {
    const { sessionId: member, active, seq } = session;
    runs.join(session);
    if (active?.kind !== "run") return;
    const { runId, openAsks } = active;
    const handle = holdfast.session(member);
    const from = (await handle.run(runId)).seq - 1;
    for await (const item of handle.events({ after: from, follow: false, deltas: false })) {
      if (isEvent(item) && item.seq <= seq) view.past(item);
    }
    for (const askId of openAsks) opened({ sessionId: member, runId, askId });
  };
  const watch = await watchFamily(holdfast, {
    sessionId,
    listener: {
      onJoin: join,
      onPassing: (item) => {
        if (isShown(item)) view.take(item);
      },
      onEvent: async (event) => {
        runs.take(event);
        if (isShown(event)) view.take(event);
        if (event.type === "prompt.settled") shownEnds.add(event.promptId);
        if (event.type === "ask.opened") opened(event);
        if (event.type === "ask.closed") asks.closed(event);
      },
    },
  });
  return {
    watch,
    view,
    sends: (promptId) => runs.prompt(promptId),
    hasShownEnd: (promptId) => shownEnds.has(promptId),
    before: (work) => asks.before(work),
    endQuestions: () => asks.close(),
    close: async () => {
      // Do not wait: the question after Ctrl-C may still be open if the process receives a signal to end.
      void asks.close();
      await watch.close();
    },
  };
}

function answererOf(options: { isJson: boolean; allowsAll: boolean }): Answerer {
  if (options.allowsAll) return "yes";
  return !options.isJson && terminalInput() !== null ? "person" : "nobody";
}

/**
 * Finds out which runs contain the user's own prompts, so that `--yes` does not answer permission requests in the runs
 * of other users.
 */
interface OwnRuns {
  /** Marks a prompt as the user's own. May be called before the prompt is sent. */
  prompt(promptId: string): void;
  join(session: SessionDetail): void;
  take(event: WireEvent): void;
  isOwn(run: { sessionId: string; runId: string }): boolean;
  /** True for an event or delta of a run that other users' prompts have started. */
  isForeign(item: SessionItem): boolean;
}

function createOwnRuns(): OwnRuns {
  const own = new Set<string>();
  const prompts = new Map<string, Set<string>>();
  /** The parent run of each child session. A child session belongs to the user if its parent run does. */
  const parents = new Map<string, { sessionId: string; runId: string }>();
  const note = (runId: string, promptIds: readonly string[]): void => {
    const known = prompts.get(runId) ?? new Set();
    for (const promptId of promptIds) known.add(promptId);
    prompts.set(runId, known);
  };
  /**
   * Returns the run in the watched session that started this run, directly or through child sessions. A run in the
   * watched session itself is returned unchanged.
   */
  const rootOf = (run: { sessionId: string; runId: string }): { runId: string } => {
    const parent = parents.get(run.sessionId);
    return parent === undefined ? run : rootOf(parent);
  };
  const isOwn: OwnRuns["isOwn"] = ({ sessionId, runId }) => {
    const parent = parents.get(sessionId);
    if (parent !== undefined) return isOwn(parent);
    return [...(prompts.get(runId) ?? [])].some((promptId) => own.has(promptId));
  };
  /**
   * True for a run that was started by the result of a background task. Its work is shown like that of the user's own
   * prompts.
   */
  const isResult = ({ runId }: { runId: string }): boolean =>
    [...(prompts.get(runId) ?? [])].some((promptId) => promptId.startsWith("result:"));
  return {
    isOwn,
    isForeign: (item) => {
      if (!("runId" in item) || typeof item.runId !== "string" || !("sessionId" in item))
        return false;
      const run = { sessionId: item.sessionId, runId: item.runId };
      return prompts.has(rootOf(run).runId) && !isOwn(run) && !isResult(rootOf(run));
    },
    prompt: (promptId) => void own.add(promptId),
    join: ({ sessionId, parent, active }) => {
      if (parent !== null) parents.set(sessionId, parent);
      if (active?.kind === "run") note(active.runId, active.prompts);
    },
    take: (event) => {
      if (event.type === "run.started") note(event.runId, [event.promptId]);
      if (event.type === "prompt.takenIn" && event.runId !== null) {
        note(event.runId, [event.promptId]);
      }
      if (event.type === "child.linked") {
        const { sessionId, runId, childSessionId } = event;
        parents.set(childSessionId, { sessionId, runId });
      }
    },
  };
}
