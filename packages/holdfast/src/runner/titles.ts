import type { Agent, Workspace } from "../agent/agent.ts";
import { asksToCompact } from "../agent/compact-command.ts";
import { withTimeout } from "../base/time.ts";
import type { Clock } from "../base/time.ts";
import type { UserMessage } from "../agent/message.ts";
import { activeRun } from "../kernel/state.ts";
import type { LaneState } from "../kernel/state.ts";
import type { Store } from "../store/store.ts";
import { userMessage } from "../log/event-message.ts";

/** Gives sessions a title after their first run has begun. Nothing waits for the title, and failures are ignored. */
export interface Titles {
  /** Call this when a run has begun on the lane, with the workspace that the run uses. */
  begun(lane: LaneState, workspace: Workspace): void;
  /** Aborts all requests to models. */
  close(): void;
}

export function createTitles(options: { store: Store; agent: Agent; clock: Clock }): Titles {
  const { store, agent, clock } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const working = new Set<string>();
  const waiting = new Map<string, { readonly begun: Begun; readonly owner: string }>();

  const proposal = async (
    { lane, workspace }: Begun,
    prompt: UserMessage,
  ): Promise<string | null> => {
    // Do not call the model for a child's session, because people rarely see its title.
    if (lane.parent !== null) return null;
    const { sessionId, directory } = lane;
    const runAgent = activeRun(lane)?.agent ?? null;
    const tooLate = new AbortController();
    const until = AbortSignal.any([signal, tooLate.signal]);
    const context = { sessionId, directory, workspace, agent: runAgent, signal: until };
    const ask = async (): Promise<string | null> => (await agent.title?.(prompt, context)) ?? null;
    const late = (): null => {
      tooLate.abort();
      return null;
    };
    const asked = withTimeout(ask(), { clock, milliseconds: patience, late, signal });
    // On a failure return null: the beginning of the prompt becomes the title.
    return asked.catch(() => null);
  };
  const entitle = async (begun: Begun, owner: string): Promise<void> => {
    const { lane } = begun;
    const { sessionId } = lane;
    const promptId = activeRun(lane)?.startedBy;
    const row = promptId === undefined ? null : await store.prompt(sessionId, promptId);
    if (row === null) return;
    const prompt = await userMessage(store, row);
    // `/compact` says nothing about the topic. The session's next run makes the title.
    if (asksToCompact(prompt)) return;
    const title = oneLine((await proposal(begun, prompt)) ?? "", 200) || usualTitle(prompt);
    if (title === "" || signal.aborted) return;
    const actor = { kind: "node", id: owner } as const;
    await store.execute({
      command: { type: "session.rename", sessionId, title, auto: true, actor },
    });
  };
  const workOn = (): void => {
    if (signal.aborted || working.size >= mostAtOnce) return;
    const [next] = waiting;
    if (next === undefined) return;
    const [sessionId, { begun, owner }] = next;
    waiting.delete(sessionId);
    working.add(sessionId);
    // Ignore failures: the session's next run tries again.
    entitle(begun, owner)
      .catch(() => {})
      .finally(() => {
        working.delete(sessionId);
        workOn();
      });
  };
  return {
    begun: (lane, workspace) => {
      const { sessionId, title } = lane;
      const owner = activeRun(lane)?.owner ?? null;
      if (title !== null || owner === null || signal.aborted || working.has(sessionId)) return;
      // Too many titles are pending: the session's next run tries again.
      if (waiting.size >= mostWaiting) return;
      waiting.set(sessionId, { begun: { lane, workspace }, owner });
      workOn();
    },
    close: () => {
      closing.abort();
      waiting.clear();
    },
  };
}

/** Maximum number of titles that are generated in parallel. Low, because people's prompts use the same models. */
const mostAtOnce = 2;
const mostWaiting = 1_000;
/** Milliseconds after which a request for a title is aborted. */
const patience = 30_000;

interface Begun {
  readonly lane: LaneState;
  readonly workspace: Workspace;
}

/** Returns the default title: the beginning of the text, or the file names if there is no text. */
function usualTitle({ text, attachments }: UserMessage): string {
  const names = attachments.flatMap(({ name }) => (name === null ? [] : [name]));
  return oneLine(text, 60) || oneLine(names.join(", "), 60);
}

/** Returns the first line that contains words, without control characters, shortened to `length`. */
function oneLine(text: string, length: number): string {
  const lines = text
    .split(/[\r\n\u2028\u2029]/)
    .map((line) => line.replaceAll(/[\p{Cc}\p{Cs}]+/gu, " ").trim());
  const line = lines.find((candidate) => candidate !== "") ?? "";
  const letters = Array.from(line);
  return letters.length <= length
    ? line
    : `${letters
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`;
}
