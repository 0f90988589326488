import { AgentFailure } from "../agent.ts";
import type { AgentContext, Fact } from "../agent.ts";
import type { Permissions } from "../coding/policy.ts";
import { RpcError } from "../../base/json-rpc.ts";
import { choosingPrompt } from "../choosing-prompt.ts";
import type { TaskAgent } from "../tools/task.ts";
import { AgentGone } from "./agent-process.ts";
import { applyChoices } from "./choose.ts";
import type { Chosen } from "./choose.ts";
import { needsSignIn, SessionNotLoaded, SignInNeeded } from "./foreign-session.ts";
import type { ForeignSession } from "./foreign-session.ts";
import { readPast } from "./past-turns.ts";
import type { HostedExtra, Past, PastTurn } from "./past-turns.ts";
import type { HostedPool } from "./pool.ts";
import { blocksOf } from "./prompt-blocks.ts";
import { askSignIn } from "./sign-in.ts";
import { planTurn, wasSent } from "./turn-plan.ts";
import type { TurnPlan } from "./turn-plan.ts";
import { modelName } from "./turn-steps.ts";
import { playTurn } from "./turn.ts";
import type { TurnEnd } from "./turn.ts";

export interface HostedRun {
  readonly pool: HostedPool;
  readonly permissions: Permissions;
  /** Milliseconds that the agent has to stop after a cancel before its process is terminated (H5). */
  readonly grace: number;
  /** Agents to which a task can be delegated. */
  readonly agents: readonly TaskAgent[];
}

/** The run fails when this many of its turns were lost because the agent's process ended (R3). */
const maxLost = 3;

/** Runs a prompt with a hosted agent: one turn of the agent, and more turns after an interruption (H1 to H7). */
export async function* runHosted(run: HostedRun, context: AgentContext): AsyncGenerator<Fact> {
  for (;;) {
    // A lost turn may have left tasks running. Wait for them before the next step (C7).
    await context.childrenEnded();
    await context.boundary();
    const past = readPast(await context.conversation(), run.pool.name);
    const own = past.turns.filter(({ runId }) => runId === context.runId);
    const waiting = context.prompts.filter(({ promptId }) => !wasSent(own, promptId));
    const last = own.at(-1);
    if (last?.status === "completed" && waiting.length === 0) {
      yield* finish(context);
      return;
    }
    const session = await open(run, { context, past, last });
    const chosen = await choose(run, { context, past, session });
    const plan = planTurn({ past, own, waiting, context, session });
    const end = yield* startTurn(run, { context, session, past, plan, chosen, own });
    if (end.type === "end" && end.stopReason !== "cancelled") {
      check(end.stopReason, run.pool.name);
      return;
    }
    if (end.type === "stopped") return;
    expectRecovery(end, { own, name: run.pool.name });
  }
}

/** Sends the selected model and mode to the agent. */
async function choose(
  { pool }: HostedRun,
  known: { context: AgentContext; past: Past; session: ForeignSession },
): Promise<Chosen> {
  const { context, past, session } = known;
  // Forget the usual mode of an earlier session of the agent, because the new session may begin in another mode.
  const isNew = session.id !== past.session;
  try {
    return await applyChoices({
      session,
      prompt: await choosingPrompt(context),
      past: isNew ? { ...past.chosen, usualMode: null } : past.chosen,
      sessionMode: await context.mode(),
      agent: pool.name,
      signal: context.signal,
    });
  } catch (error) {
    if (!(error instanceof RpcError)) throw asFailure(error, pool.name);
    const message = `${pool.name} did not accept the chosen model or mode: ${error.message}`;
    throw new AgentFailure("agentError", message, { cause: error });
  }
}

/** Completes a run that was interrupted after its turn had ended. The last answer is the result of the run. */
async function* finish(context: AgentContext): AsyncGenerator<Fact> {
  const messages = await context.conversation();
  const answer = messages.findLast(
    (message) => message.role === "assistant" && message.runId === context.runId,
  );
  yield { type: "result", text: answer?.role === "assistant" ? answer.text : "" };
}

/** Opens the agent's session. If the session cannot be loaded, a run with an interrupted turn fails (H3). */
async function open(
  run: HostedRun,
  known: { context: AgentContext; past: Past; last: PastTurn | undefined },
): Promise<ForeignSession> {
  const { context, past, last } = known;
  const { pool } = run;
  const { sessionId, directory, signal } = context;
  const lastTurn = past.turns.at(-1)?.callId ?? null;
  const request = { sessionId, directory, foreign: past.session, lastTurn, signIn: null, signal };
  try {
    return await withSignIn(run, context, (signIn) => pool.acquire({ ...request, signIn }));
  } catch (error) {
    if (!(error instanceof SessionNotLoaded)) throw asFailure(error, pool.name);
    if (last !== undefined && last.status !== "completed") {
      throw new AgentFailure(
        "interrupted",
        `The turn of ${pool.name} was interrupted, and ${error.message}. The session is paused. Send a prompt or ` +
          "release the pause: the agent then continues in a new session of its own, which begins with the transcript.",
        { hold: { retryIn: null }, cause: error },
      );
    }
    const fresh = { ...request, foreign: null };
    try {
      return await withSignIn(run, context, (signIn) => pool.acquire({ ...fresh, signIn }));
    } catch (cause) {
      throw asFailure(cause, pool.name);
    }
  }
}

/** Opens a session. If the agent requires a sign-in, asks a person before the sign-in starts. */
async function withSignIn(
  { pool }: HostedRun,
  context: AgentContext,
  acquire: (signIn: string | null) => Promise<ForeignSession>,
): Promise<ForeignSession> {
  try {
    return await acquire(null);
  } catch (error) {
    const methods = error instanceof SignInNeeded ? error.methods : [];
    const method = await askSignIn(methods, { context, agent: pool.name });
    if (method === null) throw error;
    return acquire(method.id);
  }
}

function asFailure(error: unknown, name: string): unknown {
  if (error instanceof SignInNeeded) return notSignedIn(error, name);
  // The next prompt would meet the same failure, so pause the session (L4).
  if (error instanceof AgentGone || error instanceof RpcError) {
    const own = error instanceof AgentGone ? error.advice : null;
    const advice = own ?? `Check that ${name} is installed: holdfast agents`;
    return new AgentFailure(
      "brokenWorkspace",
      `${name} cannot be used: ${error.message}. ${advice}`,
      {
        hold: { retryIn: 60_000 },
        cause: error,
      },
    );
  }
  return error;
}

function notSignedIn(cause: Error, name: string): AgentFailure {
  const advice =
    "Sign in with the agent's own program, or start Holdfast with the agent's key in its environment, then send the " +
    "prompt again. See docs/HOSTED.md#sign-in.";
  return new AgentFailure("badKey", `${name} is not signed in: ${cause.message}. ${advice}`, {
    hold: { retryIn: null },
    cause,
  });
}

/** Records the turn in the log before anything is sent to the agent (H2), then runs the turn. */
async function* startTurn(
  run: HostedRun,
  turn: {
    context: AgentContext;
    session: ForeignSession;
    past: Past;
    plan: TurnPlan;
    chosen: Chosen;
    /** The earlier turns of this run. */
    own: readonly PastTurn[];
  },
): AsyncGenerator<Fact, TurnEnd> {
  const { pool, permissions, grace } = run;
  const { context, session, past, plan, chosen, own } = turn;
  const { mode, introduction } = plan;
  const { features } = session;
  const blocks = await blocksOf(plan.prompts, {
    introduction,
    features,
    attachment: context.attachment,
  });
  const number = own.length + 1;
  const turnId = `turn-${context.runId}-${number}`;
  // A turn that continues or repeats another turn gets its number, so a task that the agent repeats is the same task.
  const earlier = own.findLastIndex((past) => past.mode === "prompt") + 1;
  const origin = mode === "prompt" ? number : Math.max(earlier, 1);
  const stray = session.takeStray();
  const input = {
    agent: pool.name,
    session: session.id,
    mode,
    ...(introduction === "" || mode === "prompt" ? {} : { text: introduction }),
    ...(plan.note === null ? {} : { note: plan.note }),
    ...(stray === "" ? {} : { meanwhile: stray }),
  };
  const cost = session.id === past.session ? past.cost : 0;
  const extra: HostedExtra = {
    kind: "hosted",
    model: modelName(session, pool.name),
    reasoning: "",
    hosted: {
      agent: pool.name,
      session: session.id,
      cost,
      ...(Object.values(chosen).every((id) => id === null) ? {} : { chosen }),
      turn: {
        mode,
        prompts: context.prompts.map(({ promptId }) => promptId),
        text: plan.prompts.map(({ text }) => text).join("\n"),
      },
    },
  };
  const call = { callId: turnId, name: "agent", input, repeatable: false };
  const intent = { summary: `send the prompt to ${pool.name}`, files: [] };
  const starts = { callId: turnId, intent };
  yield { type: "answer", text: "", calls: [call], extra, starts };
  const agent = pool.name;
  const { agents } = run;
  const leave = session.tasks.enter({ context, permissions, turnId, origin, agent, agents });
  try {
    return yield* playTurn({
      context,
      session,
      permissions,
      agent,
      turnId,
      blocks,
      grace,
      cost,
      onEnd: async () => {
        await leave();
        await pool.keepChoices();
      },
      steerBlocks: (prompt) =>
        blocksOf([prompt], { introduction: "", features, attachment: context.attachment }),
    });
  } finally {
    void leave();
  }
}

/** Fails the run if the agent refused the prompt or reached its own limit of model calls. */
function check(stopReason: string, name: string): void {
  if (stopReason === "refusal") {
    throw new AgentFailure("contentFilter", `${name} refused to answer this prompt.`);
  }
  if (stopReason === "max_turn_requests") {
    throw new AgentFailure("stepLimit", `${name} reached its own limit of model calls.`);
  }
}

/** Returns normally if the turn may be tried again or continued; otherwise fails the run. */
function expectRecovery(
  end: Exclude<TurnEnd, { type: "stopped" }>,
  { own, name }: { own: readonly PastTurn[]; name: string },
): void {
  const lost = own.filter(({ status }) => status !== "completed").length + 1;
  if (end.type === "failed") {
    // Some agents open a session without a sign-in but refuse its first prompt.
    if (needsSignIn(end.error)) throw notSignedIn(end.error, name);
    throw new AgentFailure("agentError", `${name} reported an error: ${end.error.message}`);
  }
  if (end.type === "gone") {
    if (lost < maxLost) return;
    throw new AgentFailure("crashLoop", `${name} ended ${lost} times in this run: ${end.reason}.`);
  }
  // The agent cancelled its turn by itself (H5). Try once more if it has made no calls.
  if (!end.acted && lost < 2) return;
  // Some agents, such as Codex, cancel their turn if a request is denied.
  if (end.denied) {
    throw new AgentFailure(
      "interrupted",
      `${name} cancelled its turn after a request was denied. Send a prompt that says what to do instead.`,
    );
  }
  throw new AgentFailure(
    "interrupted",
    `${name} cancelled its turn by itself. Check what it has done, then send the prompt again.`,
  );
}
