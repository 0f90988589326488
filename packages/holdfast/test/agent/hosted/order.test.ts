import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { AgentContext, Fact } from "../../../src/agent/agent.ts";
import { openPermissions } from "../../../src/agent/coding/policy.ts";
import { noChoices } from "../../../src/agent/hosted/agent-choices.ts";
import { createTurnTasks } from "../../../src/agent/hosted/door.ts";
import type { ForeignSession, TurnEvent } from "../../../src/agent/hosted/foreign-session.ts";
import { runHosted } from "../../../src/agent/hosted/hosted-agent.ts";
import type { HostedPool } from "../../../src/agent/hosted/pool.ts";
import { createTurnQueue } from "../../../src/agent/hosted/turn-queue.ts";
import type { TurnQueue } from "../../../src/agent/hosted/turn-queue.ts";
import type { UserMessage } from "../../../src/agent/message.ts";
import { createRememberedRules } from "../../../src/agent/permissions/remembered.ts";
import { RunLost } from "../../../src/agent/run-lost.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

// A test that takes the facts of a run one by one decides when each commit happens.

interface SteppedRun {
  readonly facts: AsyncGenerator<Fact>;
  readonly queue: TurnQueue<TurnEvent>;
  readonly stop: AbortController;
  /** Messages to the agent, in order. */
  readonly sent: readonly string[];
}

const prompt: UserMessage = {
  role: "user",
  promptId: "p1",
  text: "hi",
  attachments: [],
  actor: { kind: "client", id: "u" },
  reply: true,
  resultOf: null,
};

async function startStepped(t: TestContext): Promise<SteppedRun> {
  const directory = scratchFolder(t, "order");
  const sent: string[] = [];
  const queue = createTurnQueue<TurnEvent>(() => () => {});
  const stop = new AbortController();
  const features = { loads: true, steers: false, images: false, embeds: false, http: false };
  let isBusy = false;
  const session: ForeignSession = {
    id: "foreign",
    software: "",
    features,
    tasks: createTurnTasks(),
    pid: null,
    choices: () => noChoices,
    choose: async () => {},
    replay: () => null,
    lastTurn: () => null,
    isOver: () => false,
    isBusy: () => isBusy,
    prompt: () => {
      isBusy = true;
      sent.push("prompt");
      return queue;
    },
    cancel: () => void sent.push("cancel"),
    steer: async () => false,
    takeStray: () => "",
    close: async (how) => void sent.push(`close ${how}`),
  };
  const pool: HostedPool = {
    name: "stub",
    config: { command: ["stub"], env: {}, variables: [], sandbox: "off", folders: [] },
    acquire: async () => session,
    pids: () => [],
    choices: () => noChoices,
    keepChoices: async () => {},
    version: () => "",
    onChange: () => () => {},
    close: async () => {},
  };
  const context: AgentContext = {
    sessionId: "main",
    runId: "r1",
    attempt: 1,
    directory,
    workspace: { generation: "g", directory, setup: null },
    prompts: [prompt],
    conversation: async () => [prompt],
    attachment: async () => null,
    openCalls: [],
    signal: stop.signal,
    mayAct: () => !stop.signal.aborted,
    mode: async () => "ask",
    boundary: async () => [],
    nextSteer: unused,
    ask: unused,
    child: unused,
    background: unused,
    childrenEnded: async () => {},
  };
  const remembered = createRememberedRules(directory, { redact: (text) => text });
  const rules = [{ action: "run", pattern: "*", effect: "allow" }] as const;
  const permissions = await openPermissions({ rules, remembered, sessionId: "main", directory });
  const facts = runHosted({ pool, permissions, grace: 1_000, agents: [] }, context);
  return { facts, queue, stop, sent };
}

function unused(): never {
  throw new Error("not used");
}

async function next({ facts }: SteppedRun): Promise<Fact["type"] | "done"> {
  const { done, value } = await facts.next();
  return done === true ? "done" : value.type;
}

test("H2 the prompt is not sent before the turn is committed", async (t) => {
  const run = await startStepped(t);
  assert.equal(await next(run), "answer");
  assert.deepEqual(run.sent, []);
  run.queue.push({ type: "update", update: { type: "text", text: "hello" } });
  await next(run);
  assert.deepEqual(run.sent, ["prompt"]);
});

test("H4 the agent does not hear the permission before the start of the call is committed", async (t) => {
  const run = await startStepped(t);
  await next(run);
  const verdicts: string[] = [];
  run.queue.push({
    type: "permission",
    call: { id: "1", kind: "execute", title: "make" },
    answer: (verdict) => void verdicts.push(verdict),
    canAllow: true,
    signal: new AbortController().signal,
  });
  assert.deepEqual([await next(run), await next(run)], ["answer", "toolStart"]);
  assert.deepEqual(verdicts, []);
  run.queue.push({ type: "update", update: { type: "text", text: "hello" } });
  await next(run);
  assert.deepEqual(verdicts, ["allow"]);
});

test("L5 a run that another process owns ends the agent at once, without time to stop", async (t) => {
  const run = await startStepped(t);
  await next(run);
  run.queue.push({ type: "update", update: { type: "text", text: "hello" } });
  await next(run);
  run.stop.abort(new RunLost("the lease has ended"));
  assert.deepEqual(run.sent, ["prompt", "close now"]);
});

test("C5 H5 a run that stops cancels the turn and gives the agent time", async (t) => {
  const run = await startStepped(t);
  await next(run);
  run.queue.push({ type: "update", update: { type: "text", text: "hello" } });
  await next(run);
  run.stop.abort(new Error("the run is stopping"));
  assert.deepEqual(run.sent, ["prompt", "cancel"]);
});
