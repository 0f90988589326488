import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { hostedPlan } from "../../../src/agent/hosted/pool.ts";
import type { HostedPool, HostedRequest } from "../../../src/agent/hosted/pool.ts";
import { createRunningAgents } from "../../../src/agent/hosted/running-agents.ts";
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

function openPlace(t: TestContext): Place {
  const folder = scratchFolder(t, "pool");
  const running = createRunningAgents();
  const ports = { environment: process.env, version: "0.0.0", folder, running };
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
