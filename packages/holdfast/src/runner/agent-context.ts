import type {
  AgentContext,
  AskAnswer,
  AskRequest,
  ChildOutcome,
  ChildRequest,
  OpenCall,
  StepWithin,
} from "../agent/agent.ts";
import type { AnswerBody, AskBody, ResultBody, UserMessage } from "../agent/message.ts";
import { accountsOfRun, inheritedAccounts } from "../kernel/account.ts";
import type { Caps } from "../kernel/cap.ts";
import type { AcceptLimits } from "../kernel/command.ts";
import { isInOpenStep } from "../kernel/decide/run.ts";
import type { LaneEvent } from "../kernel/event.ts";
import { hasOpenChild, noUsage } from "../kernel/state.ts";
import type { Child, LaneState, Outcome, SessionParent } from "../kernel/state.ts";
import { makeBody } from "../store/body.ts";
import type { Store, StoreRequest } from "../store/store.ts";
import type { Pin } from "../workspace/workspaces.ts";
import { CommandRefused } from "./command-refused.ts";
import type { Committer } from "./committer.ts";
import { RunStopping } from "./committer.ts";
import type { Conversations } from "../log/conversation.ts";
import { userMessage } from "../log/event-message.ts";
import { persist } from "../store/persist.ts";
import type { StorePorts } from "../store/persist.ts";
import { acceptRequest, contentHash } from "./prompt.ts";
import { readMode } from "./session-mode.ts";
import { readAnswer, readBody } from "../log/bodies.ts";
import type { Place } from "./place.ts";

export interface ContextOptions extends StorePorts {
  readonly committer: Committer;
  readonly place: Place;
  readonly pin: Pin;
  readonly signal: AbortSignal;
  readonly limits: AcceptLimits;
  readonly conversations: Conversations;
  readonly caps: () => Caps | null;
  readonly checkLease: () => void;
  /**
   * Resolves with the condition's value when it is not null. The condition is checked after each change of the lane.
   */
  readonly until: <T>(condition: () => T | null) => Promise<T>;
}

/** Builds the context that an agent gets for one call of `Agent.run`. */
export async function openContext(options: ContextOptions): Promise<AgentContext> {
  const { committer, store, clock, signal } = options;
  const { sessionId, directory, parent } = committer.lane();
  const { runId, attempt } = committer.handle;
  const entered: UserMessage[] = await promptsOf(options);
  return {
    sessionId,
    runId,
    attempt,
    directory,
    directories: committer.run().directories,
    agent: committer.run().agent,
    depth: await depthBelow(options, parent),
    workspace: options.pin.workspace,
    signal,
    get prompts() {
      return entered;
    },
    conversation: () => options.conversations.read(sessionId),
    attachment: (hash) => persist(() => store.body(hash), clock),
    mayAct: () => {
      options.checkLease();
      return !signal.aborted;
    },
    mode: () => readMode((id) => persist(() => store.lane(id), clock), sessionId),
    openCalls: await openCalls(options),
    hasCostLimit: () => hasCostLimit(options),
    boundary: async (step) => {
      // Commit nothing if the step is already open and no spending cap must be checked. Two other commits can have
      // opened the step: the start of the run, and the commit that let a waiting prompt join instead of ending the run.
      const isCapped = options.caps() !== null;
      if (!isCapped && isInOpenStep(committer.lane(), committer.run(), step)) return [];
      const events = await passBoundary(options, step);
      const ids = events.flatMap((event) =>
        event.type === "prompt.takenIn" ? [event.promptId] : [],
      );
      if (ids.length === 0) return [];
      const messages = await persist(
        () => Promise.all(ids.map((id) => readEntered(store, sessionId, id))),
        clock,
      );
      entered.push(...messages.filter((message) => message.reply));
      return messages;
    },
    nextSteer: async (known) => {
      const promptId = await options.until(() => waitingSteer(committer.lane(), known));
      return persist(() => readEntered(store, sessionId, promptId), clock);
    },
    ask: (ask) => askPeople(options, ask),
    child: (child) => waitForChild(options, child),
    background: (child) => sendToChild(options, { child, background: true }),
    childrenEnded: () => waitForChildren(options),
  };
}

async function hasCostLimit({ committer, store, clock, caps }: ContextOptions): Promise<boolean> {
  if (Object.values(caps() ?? {}).some(({ cost }) => cost !== null)) return true;
  const ids = accountsOfRun(committer.lane(), committer.run());
  if (ids.length === 0) return false;
  const accounts = await persist(() => store.accounts(ids), clock);
  return accounts.some(({ limit }) => limit.cost !== null);
}

/**
 * Opens the next step. If the budget is used up, the run either ends, or waits for a person's answer and then checks
 * its budget again (P6).
 */
async function passBoundary(
  options: ContextOptions,
  step: StepWithin | undefined,
): Promise<readonly LaneEvent[]> {
  const { committer } = options;
  for (;;) {
    const caps = options.caps();
    const given = { ...step, ...(caps === null ? {} : { caps }) };
    const boundary = { type: "run.boundary", ...given } as const;
    const { events } = await committer.commit(boundary);
    if (committer.run().waitsFor === null) return events;
    const isAnswered = (): boolean => committer.run().waitsFor === null;
    await whilePlaceIsLent(options, () => untilTrue(options, isAnswered));
  }
}

/** Returns the id of the first prompt that waits to join the active run and is not in `known`. */
function waitingSteer({ queue }: LaneState, known: ReadonlySet<string>): string | null {
  const found = queue.find(
    (item) => item.kind === "prompt" && item.binding !== null && !known.has(item.promptId),
  );
  return found?.kind === "prompt" ? found.promptId : null;
}

/** Maximum number of parent sessions to count; no caller needs more. */
const deepest = 10;

async function depthBelow(
  { store, clock }: ContextOptions,
  parent: SessionParent | null,
): Promise<number> {
  let depth = 0;
  for (let above = parent; above !== null && depth < deepest; depth += 1) {
    const { sessionId } = above;
    above = (await persist(() => store.lane(sessionId), clock))?.parent ?? null;
  }
  return depth;
}

async function promptsOf(options: ContextOptions): Promise<UserMessage[]> {
  const { store, clock, committer } = options;
  const { sessionId } = committer.lane();
  const { prompts } = committer.run();
  const ids = prompts.map(({ promptId }) => promptId);
  return persist(() => Promise.all(ids.map((id) => readEntered(store, sessionId, id))), clock);
}

async function readEntered(
  store: Store,
  sessionId: string,
  promptId: string,
): Promise<UserMessage> {
  const row = await store.prompt(sessionId, promptId);
  if (row === null)
    throw new Error(`the store has no record of prompt ${promptId}; please report this bug`);
  return userMessage(store, row);
}

async function readText(
  { store, clock }: ContextOptions,
  hash: string | null,
): Promise<string | null> {
  const body = await persist(() => readBody<ResultBody>(store, hash), clock);
  return body?.text ?? null;
}

/** Lists the calls of the last answer that still need a result after a crash, with their input. */
async function openCalls(options: ContextOptions): Promise<readonly OpenCall[]> {
  const { committer } = options;
  const { tools } = committer.run();
  if (tools.length === 0) return [];
  const { sessionId } = committer.lane();
  const messages = await options.conversations.read(sessionId);
  const answer = messages.findLast((message) => message.role === "assistant");
  const calls: AnswerBody["calls"] = answer?.calls ?? [];
  return tools.flatMap(({ callId, gate }) => {
    const call = calls.find((candidate) => candidate.callId === callId);
    return call === undefined ? [] : [{ ...call, gate }];
  });
}

async function askPeople(options: ContextOptions, ask: AskRequest): Promise<AskAnswer> {
  const { committer, store, clock } = options;
  const { sessionId } = committer.lane();
  const { question, extra = null, preview } = ask;
  const content: AskBody = { question, extra, ...(preview === undefined ? {} : { preview }) };
  const body = makeBody(JSON.stringify(content));
  const expiresAt =
    ask.expiresIn === undefined ? null : (await persist(() => store.now(), clock)) + ask.expiresIn;
  const opened = await committer.commit(
    {
      type: "ask.open",
      askId: ask.askId,
      callId: ask.callId ?? null,
      ...(ask.within === undefined ? {} : { within: ask.within }),
      body: body.hash,
      expiresAt,
    },
    [body],
  );
  // After a crash the agent opens the same ask again. The ask may already be closed (R4).
  if ((opened.ask?.closed ?? null) === null) {
    const isClosed = (): boolean => !committer.run().asks.some(({ askId }) => askId === ask.askId);
    const closed = (): Promise<true> => untilTrue(options, isClosed);
    // If an active call has opened the ask, the run keeps its slot, because the call can continue before the answer.
    await (ask.within === undefined ? whilePlaceIsLent(options, closed) : closed());
  }
  const row = await persist(() => store.ask(sessionId, ask.askId), clock);
  const resolution = row?.closed?.resolution;
  if (resolution?.kind === "expired") return { verdict: "expired" };
  if (resolution?.kind !== "answered") throw new RunStopping();
  const given = await persist(() => readAnswer(store, resolution.body), clock);
  const { text = null, remember = null } = given ?? {};
  return { verdict: resolution.verdict, text, remember };
}

function untilTrue({ until }: ContextOptions, condition: () => boolean): Promise<true> {
  return until(() => (condition() ? true : null));
}

/** Lends the run's slot to other runs while `work` waits. */
async function whilePlaceIsLent<Result>(
  { place, signal }: ContextOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const loan = place.lend();
  try {
    return await work();
  } finally {
    await loan.reclaim(signal);
  }
}

async function waitForChild(options: ContextOptions, child: ChildRequest): Promise<ChildOutcome> {
  const { committer } = options;
  await sendToChild(options, { child, background: false });
  const outcomeOf = (): Outcome | null => {
    const found = committer.run().children.find((candidate: Child) => isChild(candidate, child));
    return found?.outcome ?? null;
  };
  return whilePlaceIsLent(options, async () => {
    const outcome = await options.until(outcomeOf);
    return { outcome, text: await readText(options, outcome.result) };
  });
}

async function waitForChildren(options: ContextOptions): Promise<void> {
  const { committer } = options;
  if (!hasOpenChild(committer.run())) return;
  const haveEnded = (): boolean => !hasOpenChild(committer.run());
  await whilePlaceIsLent(options, () => untilTrue(options, haveEnded));
}

/**
 * Sends a prompt to a child session. Commits the link before sending, so that a cancel in between finds the child by
 * its id (C7).
 */
async function sendToChild(
  options: ContextOptions,
  sending: { child: ChildRequest; background: boolean },
): Promise<void> {
  const { committer, store, clock, limits } = options;
  const { child, background } = sending;
  const { sessionId, promptId, text, agent, model, effort, thinking } = child;
  const { sessionId: own, directory: ownDirectory } = committer.lane();
  const { runId } = committer.handle;
  const { directories } = committer.run();
  const directory = child.directory ?? ownDirectory;
  await committer.commit({
    type: "child.link",
    childSessionId: sessionId,
    childPromptId: promptId,
    background,
    callId: child.callId ?? null,
    create: { directory, contentHash: contentHash({ directory, parent: own }) },
  });
  options.pin.share(sessionId);
  const actor = { kind: "run", id: runId } as const;
  const parent = { sessionId: own, runId, background };
  const named = { agent, model, effort, thinking };
  const input = { sessionId, promptId, text, actor, ...named, directories };
  const accounts = inheritedAccounts(committer.lane(), committer.run());
  const request = acceptRequest(input, { limits, parent, accounts });
  const answer = await persist(() => store.execute(request), clock);
  // `tombstoned`: the child's prompt was cancelled before it arrived, and the parent's lane has already recorded this.
  if (answer.status === "done" || answer.refusal.code === "tombstoned") return;
  const body = makeBody(JSON.stringify({ text: answer.refusal.message }));
  const settle: StoreRequest = {
    command: {
      type: "child.settle",
      sessionId: own,
      // Use the node as the actor. If the run were the actor, the committer would mistake the event for one of its own
      // writes.
      actor: { kind: "node", id: committer.run().owner ?? runId },
      childSessionId: sessionId,
      childPromptId: promptId,
      outcome: { status: "failed", reason: "refused", runId: null, result: body.hash },
      usage: noUsage,
    },
    bodies: [body],
  };
  await persist(() => store.execute(settle), clock);
  await persist(() => committer.refresh(), clock);
  // The run does not wait for a background child's outcome, so report the refusal now.
  if (background) throw new CommandRefused(answer.refusal);
}

function isChild(child: Child, request: ChildRequest): boolean {
  return child.sessionId === request.sessionId && child.promptId === request.promptId;
}
