import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { isAlive } from "../../agent/hosted/world.ts";
import { openPlace } from "../../server/lifecycle/server-process.ts";
import type { ServerProcess } from "../../server/lifecycle/server-process.ts";
import { waitFor } from "../../support/wait-for.ts";

/** One process has left the group of the hook; another one has no environment variables. */
const hook = `
  setsid sh -c 'echo $$ >> pids; exec sleep 1000' &
  env -i sh -c 'echo $$ >> pids; exec sleep 1000' &
  echo $$ >> pids; exec sleep 1000`;

/** Starts a server with a prompt that runs, and returns the processes of its hook. */
async function startHook(
  t: TestContext,
): Promise<{ server: ServerProcess; pids: readonly number[] }> {
  const place = openPlace();
  t.after(() => place.close());
  const settings = join(place.folder, "config", "holdfast");
  mkdirSync(settings, { recursive: true });
  const hooks = { promptAccepted: [{ command: hook, timeout: "30m" }] };
  writeFileSync(join(settings, "config.jsonc"), JSON.stringify({ hooks }));
  const server = await place.start("--deadline", "5m");
  const directory = place.folder;
  await server.send("POST", "/v1/sessions", { body: { sessionId: "s", directory } });
  await server.send("POST", "/v1/sessions/s/prompts", { body: { promptId: "p", text: "stall" } });
  const file = join(directory, "pids");
  const pids = await waitFor(
    () => {
      try {
        return readFileSync(file, "utf8").split("\n").filter(Boolean).map(Number);
      } catch {
        return [];
      }
    },
    { describe: "three processes of the hook", until: (found) => found.length === 3 },
  );
  t.after(() => {
    for (const pid of pids.filter(isAlive)) process.kill(pid, "SIGKILL");
  });
  assert.deepEqual(pids.filter(isAlive), pids);
  return { server, pids };
}

async function haveEnded(pids: readonly number[]): Promise<void> {
  await waitFor(() => pids.filter(isAlive), {
    describe: "no process of the hook",
    until: (alive) => alive.length === 0,
  });
}

test("the processes of a hook end when the server is killed with kill -9", async (t) => {
  const { server, pids } = await startHook(t);
  server.process.kill("SIGKILL");
  await server.ended;
  await haveEnded(pids);
});

test("the processes of a hook end when a second SIGTERM ends the server at once", async (t) => {
  const { server, pids } = await startHook(t);
  server.process.kill("SIGTERM");
  await server.printed("1 run has 300 s to end");
  server.process.kill("SIGTERM");
  assert.equal((await server.ended).end, 143);
  await haveEnded(pids);
});
