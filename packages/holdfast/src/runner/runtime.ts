import { randomUUID } from "node:crypto";
import type { Agent } from "../agent/agent.ts";
import type { ResultBody } from "../agent/message.ts";
import type { CancelScope } from "../kernel/command.ts";
import type { Actor, LaneEvent, Receipt } from "../kernel/event.ts";
import type { LedgerRow } from "../kernel/ledger.ts";
import type { Budget, LaneState } from "../kernel/state.ts";
import type { Answer, Done } from "../kernel/transaction.ts";
import { makeBody } from "../store/body.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import type { PendingLane, Store } from "../store/store.ts";
import { constantWorkspaces } from "../workspace/workspaces.ts";
import type { Workspaces } from "../workspace/workspaces.ts";
import { CommandRefused } from "./command-refused.ts";
import { readBody } from "./conversation.ts";
import type { Delta } from "./delta-hub.ts";
import { followEvents } from "./follow.ts";
import { acceptRequest, contentHash } from "./prompt.ts";
import type { PromptInput } from "./prompt.ts";
import { startRunner } from "./runner.ts";
import type { RunnerOptions } from "./runner.ts";
import { waitForPrompt } from "./wait.ts";

/** What a caller may leave out: the runner's settings, each with a sane default. */
export type RuntimeOptions = Partial<
  Omit<RunnerOptions, "store" | "agent" | "workspaces" | "newId" | "onError" | "scope">
> & {
  readonly agent: Agent;
  /** A store, or the file of a SQLite database, which is made when it is not there. */
  readonly store: Store | string;
  readonly workspaces?: Workspaces;
  /** Work on this session and its children only; leave what others have begun alone. */
  readonly onlySession?: string;
  readonly onError?: (error: unknown) => void;
};

/** A runtime in this process: a store, a runner on it, and the commands that people send. */
export interface Runtime {
  readonly store: Store;
  createSession(input: SessionInput): Promise<LaneState>;
  /** Answers when the prompt is durable; its outcome comes later (P1). */
  prompt(input: Omit<PromptInput, "promptId" | "actor"> & PromptIdentity): Promise<LedgerRow>;
  /** The prompt's entry once it is settled, or as it is when the signal aborts first. */
  wait(target: PromptTarget & { signal?: AbortSignal }): Promise<LedgerRow | null>;
  /** The text of an outcome's result, or of its error. */
  resultText(row: LedgerRow): Promise<string | null>;
  cancel(input: CancelInput): Promise<Receipt>;
  answer(input: AnswerInput): Promise<void>;
  /** Every event after the given seq, in order, then those to come. */
  events(target: {
    sessionId: string;
    after?: number;
    signal?: AbortSignal;
  }): AsyncIterable<LaneEvent>;
  deltas(sessionId: string, listener: (delta: Delta) => void): () => void;
  /** Lanes with work that this runtime was told to leave alone. */
  unfinished(): Promise<readonly PendingLane[]>;
  /** Stops taking runs, gives active ones so long, hands the rest over, and closes the store. */
  close(options?: { deadline?: number }): Promise<void>;
}

export interface SessionInput {
  readonly sessionId?: string;
  readonly directory: string;
  readonly budget?: Budget | null;
  readonly actor?: Actor;
}

export interface PromptIdentity {
  /** Chosen by the sender, so that sending it twice is sending it once. */
  readonly promptId?: string;
  readonly actor?: Actor;
}

export interface PromptTarget {
  readonly sessionId: string;
  readonly promptId: string;
}

export interface CancelInput {
  readonly sessionId: string;
  readonly cancelId?: string;
  readonly scope?: CancelScope;
  readonly actor?: Actor;
}

export interface AnswerInput {
  readonly sessionId: string;
  readonly askId: string;
  readonly verdict: "allow" | "deny";
  readonly text?: string;
  readonly actor?: Actor;
}

export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { agent, onlySession, onError = report, workspaces = constantWorkspaces() } = options;
  const store =
    typeof options.store === "string"
      ? await openSqliteStore({ file: options.store })
      : options.store;
  const settings = { ...defaults, ...options, store, agent, workspaces, newId, onError };
  const runner = await startRunner(
    onlySession === undefined ? settings : { ...settings, scope: familyOf(store, onlySession) },
  ).catch(async (error: unknown) => {
    if (typeof options.store === "string") await store.close();
    throw error;
  });
  const { lanes } = runner;
  const parts = { store, lanes };
  const send = async (request: Parameters<Store["execute"]>[0]): Promise<Done> =>
    accepted(await store.execute(request));
  return {
    store,
    createSession: async (input) => {
      const { sessionId = newId("session"), directory, budget = null, actor = nobody } = input;
      const hash = contentHash({ directory, budget });
      const empty = { parent: null, origin: null } as const;
      const create = { type: "session.create", contentHash: hash, ...empty } as const;
      const { state } = await send({ command: { ...create, sessionId, directory, budget, actor } });
      return state;
    },
    prompt: async (input) => {
      const { promptId = newId("prompt"), actor = nobody } = input;
      const limits = settings.acceptLimits;
      const { prompt } = await send(acceptRequest({ ...input, promptId, actor }, { limits }));
      if (prompt === null) throw new Error(`prompt ${promptId} was accepted without an entry`);
      return prompt;
    },
    wait: (target) => waitForPrompt(parts, target),
    resultText: async (row) => {
      const body = await readBody<ResultBody>(store, row.outcome?.result ?? null);
      return body?.text ?? null;
    },
    cancel: async (input) => {
      const { sessionId, cancelId = newId("cancel"), scope = everything, actor = nobody } = input;
      const command = { type: "cancel", sessionId, cancelId, scope, reason: null, actor } as const;
      const { receipt } = await send({ command });
      if (receipt === null) throw new Error(`cancel ${cancelId} was answered without a receipt`);
      return receipt;
    },
    answer: async (input) => {
      const { sessionId, askId, verdict, text, actor = nobody } = input;
      const body = text === undefined ? null : makeBody(JSON.stringify({ text }));
      await send({
        command: { type: "ask.answer", sessionId, askId, verdict, body: body?.hash ?? null, actor },
        bodies: body === null ? [] : [body],
      });
    },
    events: ({ after = 0, ...target }) => followEvents(parts, { ...target, after }),
    deltas: (sessionId, listener) => runner.deltas.listen(sessionId, listener),
    unfinished: () => runner.unfinished(),
    close: async ({ deadline = 0 } = {}) => {
      await runner.drain({ deadline });
      await store.close();
    },
  };
}

const defaults = {
  maxRuns: 8,
  maxRunsPerDirectory: 4,
  maxSteps: 200,
  stopGrace: 5_000,
  budget: null,
  recovery: "resume",
  acceptLimits: { maxQueue: 1_000, maxBytes: 4 * 1024 * 1024, draining: false },
  leaseTtl: 10_000,
  renewEvery: 1_000,
  pollEvery: 1_000,
} as const;

const nobody: Actor = { kind: "client", id: "local" };
const everything: CancelScope = { kind: "session", upTo: null, tree: false };

function newId(kind: string): string {
  return `${kind}-${randomUUID()}`;
}

function accepted(answer: Answer): Done {
  if (answer.status === "refused") throw new CommandRefused(answer.refusal);
  return answer;
}

/** The session itself, and those that its runs have made, at any depth. */
function familyOf(store: Store, head: string): (state: LaneState) => Promise<boolean> {
  const known = new Map([[head, true]]);
  const belongs = async (state: LaneState): Promise<boolean> => {
    const found = known.get(state.sessionId);
    if (found !== undefined) return found;
    const parent = state.parent === null ? null : await store.lane(state.parent.sessionId);
    const answer = parent !== null && (await belongs(parent));
    known.set(state.sessionId, answer);
    return answer;
  };
  return belongs;
}

function report(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error), "HoldfastWarning");
}
