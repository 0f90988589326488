import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Holdfast, PromptOptions, SessionHandle } from "@holdfast/sdk";
import { serve } from "../../../src/compose/serve.ts";
import { openStore } from "../../../src/compose/stores.ts";
import { examine } from "../../../src/store/doctor/doctor.ts";
import { openTestServer } from "../../server/security/test-server.ts";
import type { TestServer } from "../../server/security/test-server.ts";
import type { McpServer } from "../../support/stub-agent-mcp.ts";
import { freePort } from "../../support/free-port.ts";
import { waitFor } from "../../support/wait-for.ts";

const program = join(import.meta.dirname, "../../support/stub-agent.ts");
const names = ["first", "second", "third"] as const;

/** A server with three hosted agents, which can give tasks to one another through Holdfast's MCP server. */
interface DoorWorld extends Pick<TestServer, "ask"> {
  readonly holdfast: Holdfast;
  readonly session: SessionHandle;
  /** Sends a prompt to the agent `first`, and returns its outcome. */
  readonly settled: (text: string, options?: PromptOptions) => Promise<string>;
  /** The lines of a file that an agent has written. */
  readonly lines: (agent: (typeof names)[number], file: string) => readonly string[];
  readonly release: (agent: (typeof names)[number], file: string) => void;
  /** Stops Holdfast in the middle of its runs, and starts it again on the same port. */
  readonly restart: () => Promise<void>;
  /** The outcomes of all prompts in all sessions. */
  readonly outcomes: () => Promise<readonly (string | undefined)[]>;
  /** The newest secret that an agent got for the MCP server. */
  readonly secret: (agent: (typeof names)[number]) => string;
}

async function openDoorWorld(
  t: TestContext,
  { mode = "", permissions = [] }: { mode?: string; permissions?: readonly object[] } = {},
): Promise<DoorWorld> {
  const server = await openTestServer(t, { port: await freePort() });
  const { url, owner, folder, ask, settings } = server;
  let { serving } = server;
  const homeOf = (agent: string): string => join(folder, `stub-${agent}`);
  const agents = names.map((name) => {
    mkdirSync(homeOf(name));
    const env = { STUB_HOME: homeOf(name), STUB_MODE: name === "first" ? mode : "" };
    return [name, { description: name, acp: { command: [process.execPath, program], env } }];
  });
  const config = { agent: "first", agents: Object.fromEntries(agents), permissions };
  const configFolder = join(folder, ".config", "holdfast");
  mkdirSync(configFolder, { recursive: true });
  writeFileSync(join(configFolder, "config.jsonc"), JSON.stringify(config));
  t.after(async () => {
    await serving.server.stop();
    const store = await openStore(settings.store);
    const { violations } = await examine(store);
    await store.close();
    assert.deepEqual(violations, []);
  });
  const holdfast = connect({ url, token: owner });
  const session = await holdfast.sessions.create({ directory: join(folder, "a") });
  const lines: DoorWorld["lines"] = (agent, name) => {
    const file = join(homeOf(agent), name);
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  };
  return {
    ask,
    holdfast,
    session,
    lines,
    settled: async (text, options) => {
      const prompt = await session.prompt(text, options);
      const { status, reason, text: result } = await prompt.settled();
      return `${reason === null ? status : `${status}: ${reason}`}: ${result}`;
    },
    release: (agent, name) => writeFileSync(join(homeOf(agent), name), ""),
    outcomes: async () => {
      const { items } = await holdfast.sessions.list({ limit: 10 });
      const lists = items.map(({ sessionId }) => holdfast.session(sessionId).prompts());
      return (await Promise.all(lists)).flatMap((list) =>
        list.items.map(({ outcome }) => outcome?.status),
      );
    },
    restart: async () => {
      await serving.server.stop({ deadline: 0 });
      serving = await serve({ ...settings, port: Number(new URL(url).port) });
      await serving.server.ready;
    },
    secret: (agent) => {
      const server: McpServer = JSON.parse(lines(agent, "servers").at(-1) ?? "{}");
      return (server.headers[0]?.value ?? "").replace("Bearer ", "");
    },
  };
}

/** The line with which the stub agent gives a task to another agent. */
function task(agent: string, prompt: string): string {
  return `mcp task ${JSON.stringify({ agent, prompt, wait: 55 })}`;
}

test("a hosted agent gives a task to a second one, and that to a third one, in one tree (C7)", async (t) => {
  const { holdfast, session, settled, lines } = await openDoorWorld(t);
  const words = task("second", task("third", "say from the third"));
  assert.equal(await settled(words), "completed: from the third");
  const { items } = await holdfast.sessions.list({ limit: 10 });
  const parents = new Map(items.map(({ sessionId, parent }) => [sessionId, parent?.sessionId]));
  const child = items.find(({ parent }) => parent?.sessionId === session.sessionId);
  const grandchild = items.find(({ parent }) => parent?.sessionId === child?.sessionId);
  assert.equal(parents.size, 3);
  assert.ok(child !== undefined && grandchild !== undefined);
  assert.deepEqual(
    names.map((name) => lines(name, "prompts").length),
    [1, 1, 1],
  );
});

test("one cancel ends the tasks of hosted agents at any depth (C7)", async (t) => {
  const { session, lines, outcomes } = await openDoorWorld(t);
  const prompt = await session.prompt(task("second", task("third", "slowtool dig")));
  await waitFor(() => lines("third", "acts").length === 1, { describe: "the third agent at work" });
  await session.cancel();
  assert.equal((await prompt.settled()).status, "cancelled");
  assert.deepEqual(await outcomes(), ["cancelled", "cancelled", "cancelled"]);
});

test("tasks of hosted agents are charged to the budget of the first prompt (P6)", async (t) => {
  const { settled, lines } = await openDoorWorld(t);
  // Each turn of the stub agent costs 25 tokens.
  const words = [task("second", "say one"), task("third", "say two")].join("\n");
  const end = await settled(words, { budget: { tokens: 20 } });
  assert.equal(end, "failed: budget: null");
  assert.deepEqual(
    names.map((name) => lines(name, "prompts").length),
    [1, 1, 0],
  );
});

test("a hosted agent cannot answer its own request, send prompts or cancel with its token", async (t) => {
  const { ask, session, secret, holdfast, lines } = await openDoorWorld(t);
  const prompt = await session.prompt("ask rm -rf build\nsay done");
  const open = await waitFor(async () => (await session.asks({ open: true })).items[0], {
    describe: "the request of the agent",
  });
  assert.ok(open !== undefined);
  const token = secret("first");
  const path = `/v1/sessions/${session.sessionId}`;
  const attempts = [
    ["POST", `${path}/asks/${encodeURIComponent(open.askId)}/answer`, { verdict: "allow" }],
    ["POST", `${path}/prompts`, { text: "say more" }],
    ["POST", `${path}/cancel`, {}],
    ["POST", "/v1/sessions", { directory: session.sessionId }],
    ["POST", "/v1/tokens", { name: "mine", role: "admin" }],
  ] as const;
  for (const [method, route, body] of attempts) {
    const { status, code } = await ask(method, route, { token, body });
    assert.deepEqual([route, status, code], [route, 403, "forbidden"]);
  }
  const me = JSON.parse((await ask("GET", "/v1/me", { token })).text);
  assert.equal(me.role, "propose");
  const answer = { name: "answer_ask", arguments: { askId: open.askId, verdict: "allow" } };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: answer };
  const headers = { accept: "application/json, text/event-stream" };
  const { text } = await ask("POST", "/mcp", { token, body, headers });
  assert.match(text, /there is no tool answer_ask/);
  assert.equal((await session.asks({ open: true })).items[0]?.askId, open.askId);
  assert.deepEqual(lines("first", "acts"), []);
  await session.answer(open.askId, { verdict: "deny" });
  assert.equal((await prompt.settled()).status, "completed");
  assert.deepEqual(lines("first", "acts"), []);
  process.kill(Number(lines("first", "pids").at(-1)), "SIGKILL");
  await waitFor(() => ask("GET", "/v1/me", { token }), {
    describe: "the end of the token with its process",
    until: ({ status }) => status === 401,
  });
  // The token was never stored.
  const tokens = await holdfast.tokens.list();
  assert.deepEqual(
    tokens.map(({ name }) => name),
    ["owner"],
  );
});

test("an agent that dies during its task continues after the task, and finds the same task again", async (t) => {
  // The agent has lost the prompt after its restart, so it gets the prompt again and repeats the task.
  const { session, holdfast, lines, release } = await openDoorWorld(t, { mode: "forgets" });
  const prompt = await session.prompt(task("second", "wait go\nsay second done"));
  await waitFor(() => lines("second", "prompts").length === 1, { describe: "the task" });
  process.kill(Number(lines("first", "pids").at(-1)), "SIGKILL");
  release("second", "go");
  const { status, text } = await prompt.settled();
  assert.deepEqual([status, text], ["completed", "second done"]);
  const { items } = await holdfast.sessions.list({ limit: 10 });
  assert.deepEqual(
    [items.length, lines("first", "prompts").length, lines("second", "prompts").length],
    [2, 2, 1],
  );
});

test("the same task in a later turn of the run is a new task (C7)", async (t) => {
  const { session, lines, release } = await openDoorWorld(t);
  const words = task("second", "say second done");
  const prompt = await session.prompt(`${words}\nwait go`);
  await waitFor(() => lines("second", "prompts").length === 1, { describe: "the first task" });
  const steer = await session.prompt(words, { delivery: "steer" });
  release("first", "go");
  const [first, second] = await Promise.all([prompt.settled(), steer.settled()]);
  assert.equal(first.runId, second.runId);
  assert.equal(lines("second", "prompts").length, 2);
});

test("a task that outlives its Holdfast process ends before the run continues (C7)", async (t) => {
  const { session, lines, release, restart, outcomes } = await openDoorWorld(t);
  const prompt = await session.prompt(task("second", "wait go\nsay second done"));
  await waitFor(() => lines("second", "prompts").length === 1, { describe: "the task" });
  await restart();
  release("second", "go");
  assert.equal((await prompt.settled()).status, "completed");
  assert.deepEqual(await outcomes(), ["completed", "completed"]);
});

test("a rule of the user can deny the tasks of hosted agents", async (t) => {
  const rule = { action: "send", pattern: "task", effect: "deny" };
  const { settled, lines } = await openDoorWorld(t, { permissions: [rule] });
  assert.match(await settled(task("second", "say hello")), /The user did not allow this task/);
  assert.deepEqual(lines("second", "prompts"), []);
});
