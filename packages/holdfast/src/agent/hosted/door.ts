import { withTimeout } from "../../base/time.ts";
import type { AgentContext, ChildOutcome } from "../agent.ts";
import type { Permissions } from "../coding/policy.ts";
import { shownRequest } from "../permissions/shown-request.ts";
import { derivedId } from "../tools/derived-id.ts";
import { maxDepth } from "../tools/task.ts";
import type { TaskAgent } from "../tools/task.ts";

/**
 * Gives processes of hosted agents access to Holdfast's MCP server, which exists only if this process is a Holdfast
 * server.
 */
export interface AgentDoors {
  open(door: {
    /** Name of the agent, which is recorded as the sender of its requests. */
    readonly agent: string;
    readonly directory: string;
    readonly tasks: AgentTasks;
  }): OpenDoor;
}

/**
 * Access of one agent process to Holdfast's MCP server. `secret` is a token with the role `propose`, valid until
 * `close` is called.
 */
export interface OpenDoor {
  readonly url: string;
  readonly secret: string;
  close(): void;
}

/**
 * Starts tasks for a hosted agent. A task is a child session of the agent's run: a cancel of the run also cancels the
 * task, and the task uses the run's budget (C7).
 */
export interface AgentTasks {
  /** Returns the agents to which a task can be delegated. Empty if the agent has no active turn. */
  agents(): readonly TaskAgent[];
  /** Starts a task and waits for its outcome, at most `milliseconds`. Throws if the task is refused. */
  run(
    task: { readonly prompt: string; readonly agent?: string | undefined },
    wait: { readonly milliseconds: number; readonly signal: AbortSignal },
  ): Promise<AgentTask>;
}

export interface AgentTask {
  readonly sessionId: string;
  readonly promptId: string;
  /** Null: the task has not ended yet. */
  readonly ended: ChildOutcome | null;
}

/** A turn of a hosted agent, during which the agent may start tasks. */
export interface TaskTurn {
  readonly context: AgentContext;
  readonly permissions: Permissions;
  /** Id of the tool call that represents the turn in the log. */
  readonly turnId: string;
  /** Number of the turn in its run; for a turn that continues or repeats another one, the number of that turn. */
  readonly origin: number;
  /** Name of the agent of this turn. Tasks that select no agent go to the same agent. */
  readonly agent: string;
  readonly agents: readonly TaskAgent[];
}

export interface TurnTasks extends AgentTasks {
  /**
   * Lets the agent start tasks until the returned function is called. The promise of that function resolves when all
   * tasks of the turn have ended, because a run must not end before its child sessions (C7).
   */
  enter(turn: TaskTurn): () => Promise<void>;
}

export function createTurnTasks(): TurnTasks {
  let active: ActiveTurn | null = null;
  return {
    agents: () => active?.turn.agents ?? [],
    enter: (turn) => {
      const entered: ActiveTurn = { turn, counts: new Map(), open: new Set() };
      active = entered;
      return async () => {
        if (active === entered) active = null;
        await Promise.allSettled(entered.open);
      };
    },
    run: async ({ prompt, agent: named }, { milliseconds, signal }) => {
      const entered = active;
      if (entered === null) throw turnIsOver();
      const { turn, counts, open } = entered;
      const { context } = turn;
      const agent = named ?? turn.agent;
      expectTask(turn, agent);
      const key = JSON.stringify([agent, prompt]);
      const number = (counts.get(key) ?? 0) + 1;
      counts.set(key, number);
      // Derive the ids from the task, so that an agent that repeats the task after a crash finds its child session
      // again (C7).
      const first = turn.origin === 1 ? "" : `${turn.origin}:`;
      const callId = `${first}${key}:${number}`;
      const call = { runId: context.runId, callId };
      const target = { sessionId: derivedId("task", call), promptId: derivedId("prompt", call) };
      await expectPermission(turn, { prompt, agent, askId: `${target.promptId}:permission` });
      if (active !== entered) throw turnIsOver();
      const ended = context.child({ ...target, text: prompt, callId: turn.turnId, agent });
      open.add(ended);
      const inTime = withTimeout(ended, { milliseconds, signal, late: () => null });
      return { ...target, ended: await inTime };
    },
  };
}

interface ActiveTurn {
  readonly turn: TaskTurn;
  /** Number of started tasks with the same agent and prompt. */
  readonly counts: Map<string, number>;
  readonly open: Set<Promise<ChildOutcome>>;
}

function turnIsOver(): Error {
  return new Error("Tasks can be started only while the agent answers a prompt.");
}

function expectTask({ context, agents }: TaskTurn, agent: string): void {
  if ((context.depth ?? 0) >= maxDepth) {
    throw new Error(`Tasks can be nested ${maxDepth} levels deep. Do the work in this session.`);
  }
  if (agents.some(({ name }) => name === agent)) return;
  const known = agents.map(({ name }) => name).join(", ");
  throw new Error(`There is no agent ${agent}. Available agents: ${known}.`);
}

/**
 * Throws if a task is not permitted. Applies the same rules as for tasks of Holdfast's own agent, which by default need
 * no permission.
 */
async function expectPermission(
  { context, permissions, turnId, agent: from }: TaskTurn,
  { prompt, agent, askId }: { prompt: string; agent: string; askId: string },
): Promise<void> {
  const permission = { action: "send", subject: "task", preview: prompt } as const;
  const decision = permissions.decide(permission, await context.mode());
  if (decision === "allow") return;
  if (decision === "ask") {
    const question = `May ${from} give a task to ${agent}?`;
    const { permission: shown, ...whole } = shownRequest(permission);
    const extra = { permission: shown, agent: from, tool: "task", remembers: [] };
    const { verdict } = await context.ask({ askId, within: turnId, question, extra, ...whole });
    if (verdict === "allow") return;
  }
  throw new Error("The user did not allow this task.");
}
