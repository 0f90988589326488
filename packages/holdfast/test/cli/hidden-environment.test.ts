import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { hideProgram } from "../../../../scripts/hide-program.ts";
import { openCli } from "./test-cli.ts";
import type { Running, TestCli } from "./test-cli.ts";

const hidden = hideProgram("bwrap", process.env["PATH"] ?? "");
after(() => hidden.remove());

const onLinux = { skip: process.platform !== "linux" && "only Linux shows environments in /proc" };
const secret = "sk-ant-0123456789abcdef";

test("/proc shows no keys of a server without a sandbox, but it has them", onLinux, async (t) => {
  const cli = openKeyedCli(t);
  const { running } = await cli.serve();
  assert.deepEqual(shownOf(running), { path: true, secret: false });
  const models = await cli.run("models");
  assert.match(models.out, /anthropic/);
  running.process.kill("SIGTERM");
  assert.equal((await running.ended).end, 0);
});

test("/proc shows no keys of a run without a server", onLinux, async (t) => {
  const cli = openKeyedCli(t);
  const run = cli.start("run", "--embedded", "--agent", "demo", "say ready; wait 60s");
  await run.printed("ready");
  assert.deepEqual(shownOf(run), { path: true, secret: false });
});

function openKeyedCli(t: { after(work: () => void): void }): TestCli {
  return openCli(t, {
    PATH: hidden.path,
    ANTHROPIC_API_KEY: secret,
    UNUSUAL_NAME: `lines\n${secret} ✓`,
  });
}

/** Which variables other processes of the same user see. */
function shownOf({ process: { pid } }: Running): { path: boolean; secret: boolean } {
  const shown = readFileSync(`/proc/${pid}/environ`, "latin1");
  return { path: shown.includes("PATH="), secret: shown.includes(secret) };
}
