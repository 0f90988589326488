import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "@holdfast/sdk";
import type { SessionHandle } from "@holdfast/sdk";
import { openPlace } from "../../server/lifecycle/server-process.ts";
import { freePort } from "../../support/free-port.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { waitFor } from "../../support/wait-for.ts";
import { isAlive } from "./world.ts";

// The server is killed with SIGKILL while its hosted agent works.

const program = join(import.meta.dirname, "../../support/stub-agent.ts");

interface CrashWorld {
  readonly session: SessionHandle;
  readonly lines: (name: string) => readonly string[];
  /** Kills the server, waits for the end of its agent, and starts another server. */
  readonly crash: () => Promise<void>;
}

async function openCrashWorld(t: TestContext): Promise<CrashWorld> {
  const settings = scratchFolder(t, "crash");
  const place = openPlace({ environment: { XDG_CONFIG_HOME: settings } });
  t.after(() => place.close());
  const home = join(place.folder, "stub");
  const config = join(settings, "holdfast");
  for (const folder of [home, config]) mkdirSync(folder, { recursive: true });
  const acp = {
    command: [process.execPath, program],
    env: { STUB_HOME: home, STUB_MODE: "stays" },
  };
  writeFileSync(
    join(config, "config.jsonc"),
    JSON.stringify({ agent: "stub", agents: { stub: { acp } } }),
  );
  let server = await place.start("--port", String(await freePort()));
  const token = readFileSync(join(place.data, "token"), "utf8").trim();
  const { url } = server;
  const session = await connect({ url, token }).sessions.create({ directory: place.folder });
  const lines = (name: string): readonly string[] => {
    const file = join(home, name);
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  };
  return {
    session,
    lines,
    crash: async () => {
      server.process.kill("SIGKILL");
      await server.ended;
      const started = [...lines("pids"), ...lines("children")].map(Number);
      await waitFor(() => started.filter(isAlive), {
        describe:
          "the end of the agent, which ignores SIGTERM and the end of stdin, and of its children",
        until: (alive) => alive.length === 0,
      });
      server = await place.start("--port", new URL(url).port);
    },
  };
}

test("H2 H7 kill -9 in mid-turn: the agent and its children die too, and one continuation names the call in doubt", async (t) => {
  const { session, lines, crash } = await openCrashWorld(t);
  await session.prompt("leave\ntool touch a\nslowtool make", { promptId: "p1" });
  await session.prompt("say next", { promptId: "p2" });
  for await (const event of session.events()) {
    const answer = event.type === "step.answered" ? JSON.stringify(event.content) : "";
    if (answer.includes("make")) break;
  }
  await waitFor(() => lines("acts").length === 2, { describe: "both actions" });
  assert.equal(lines("children").map(Number).filter(isAlive).length, 1);
  await crash();
  assert.equal((await session.promptById("p1").settled()).status, "completed");
  assert.equal((await session.promptById("p2").settled()).text, "next");
  assert.deepEqual(lines("acts"), ["touch a", "make"]);
  const [, continuation = "", ...rest] = lines("prompts");
  assert.match(continuation, /may or may not have taken effect:\\n- shell: make\\n/);
  assert.deepEqual(rest, ['"say next"']);
});

test("H4 R4 kill -9 with a request open: the ask is closed, and nothing acts without a new answer", async (t) => {
  const { session, lines, crash } = await openCrashWorld(t);
  await session.prompt("ask touch a", { promptId: "p1" });
  const [ask] = await waitFor(async () => (await session.asks()).items, {
    describe: "the ask",
    until: (items) => items.length === 1,
  });
  await crash();
  assert.equal((await session.promptById("p1").settled()).status, "completed");
  await assert.rejects(
    session.answer(ask?.askId ?? "", { verdict: "allow" }),
    /already answered or withdrawn/,
  );
  assert.deepEqual([lines("acts"), lines("answers")], [[], []]);
});
