import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { hostedPlan } from "../../../src/agent/hosted/pool.ts";
import type { HostedPool, HostedRequest } from "../../../src/agent/hosted/pool.ts";
import { createRunningAgents } from "../../../src/agent/hosted/running-agents.ts";
import { systemClock } from "../../../src/base/time.ts";
import type { Clock } from "../../../src/base/time.ts";
import { createHandClock } from "../../support/hand-clock.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { waitFor } from "../../support/wait-for.ts";
import { isAlive } from "./world.ts";

const program = join(import.meta.dirname, "../../support/stub-agent.ts");

interface Place {
  readonly request: HostedRequest;
  readonly open: (mode: string) => Promise<HostedPool>;
  /** Ids of all processes of the stub that have started. */
  readonly started: () => readonly number[];
}

function openPlace(t: TestContext, clock: Clock = systemClock): Place {
  const folder = scratchFolder(t, "pool");
  const running = createRunningAgents();
  const ports = { environment: process.env, version: "0.0.0", folder, running, clock };
  const { signal } = new AbortController();
  const pids = join(folder, "pids");
  return {
    request: {
      sessionId: folder,
      directory: folder,
      foreign: null,
      lastTurn: null,
      signIn: null,
      signal,
    },
    open: async (mode) => {
      const command = [process.execPath, program] as const;
      const env = { STUB_HOME: folder, STUB_MODE: mode };
      const config = { command, env, variables: [], sandbox: "off", folders: [] } as const;
      const pool = await hostedPlan("stub", config, ports).open();
      t.after(() => pool.close());
      return pool;
    },
    started: () =>
      existsSync(pids) ? readFileSync(pids, "utf8").split("\n").filter(Boolean).map(Number) : [],
  };
}

test("M1 H7 an old pool that closes while the next pool opens the same session leaves the new process alone", async (t) => {
  const { request, open } = openPlace(t);
  const [old, next] = [await open("old"), await open("next")];
  const first = await old.acquire(request);
  const opening = next.acquire(request);
  await old.close();
  const second = await opening;
  assert.deepEqual([first.isOver(), second.isOver()], [true, false]);
});

test("H7 a pool that closes ends a process whose session is not open yet", async (t) => {
  const { request, open, started } = openPlace(t);
  const pool = await open("never greets");
  const refused = assert.rejects(pool.acquire(request), /closed/);
  const [pid] = await waitFor(started, {
    describe: "the process of the agent",
    until: ({ length }) => length === 1,
  });
  await pool.close();
  await refused;
  assert.ok(pid !== undefined && !isAlive(pid));
});

test("H5 an agent that does not answer the first request is ended after 60 seconds", async (t) => {
  const clock = createHandClock();
  const { request, open, started } = openPlace(t, clock);
  const pool = await open("never greets");
  const refused = assert.rejects(pool.acquire(request), /did not answer initialize within 60 s/);
  await waitFor(() => started().length === 1 && clock.pending() === 1, {
    describe: "the request to the agent",
  });
  await clock.move(59_999);
  const [pid] = started();
  assert.ok(pid !== undefined && isAlive(pid));
  await clock.move(1);
  await refused;
  assert.ok(!isAlive(pid));
});

test("H5 an agent that does not answer the choice of its mode in time is ended and not used again", async (t) => {
  const clock = createHandClock();
  const { request, open } = openPlace(t, clock);
  const session = await (await open("offers,never chooses")).acquire(request);
  const chosen = session.choose("mode", "yolo", request.signal);
  const refused = assert.rejects(chosen, /did not answer session\/set_mode within 60 s/);
  await clock.move(60_000);
  await refused;
  assert.ok(session.isOver());
});

test("H7 the idle time of a process begins at the end of its last turn", async (t) => {
  const clock = createHandClock();
  const { request, open } = openPlace(t, clock);
  const session = await (await open("")).acquire(request);
  await clock.move(14 * 60_000);
  const turn = session.prompt("t1", [{ type: "text", text: "think" }]);
  assert.equal((await turn.next()).type, "end");
  await clock.move(14 * 60_000);
  assert.ok(!session.isOver());
  await clock.move(60_000);
  await waitFor(() => session.isOver(), { describe: "the end of the idle process" });
});
