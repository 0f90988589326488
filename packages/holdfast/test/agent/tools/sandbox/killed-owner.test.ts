import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { processesWith } from "../../../../src/agent/tools/processes.ts";
import { needsSandbox } from "../../../support/needs-sandbox.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { processesOf } from "../processes-of.ts";
import { temporaryFolder } from "../workbench.ts";

test(
  "a sandbox that has no death signal yet ends when Holdfast is killed, and its helper shell gets no keys",
  needsSandbox,
  async (t) => {
    const directory = temporaryFolder(t);
    const file = join(import.meta.dirname, "killed-owner.ts");
    const key = `sk-${randomUUID()}`;
    const owner = spawn(process.execPath, [file, directory], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, OPENAI_API_KEY: key },
    });
    t.after(() => {
      owner.kill("SIGKILL");
      for (const pid of processesOf(directory)) process.kill(pid, "SIGKILL");
    });
    let output = "";
    owner.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await waitFor(() => output.includes("HOLDFAST_CALL="), {
      describe: "a command in the sandbox",
    });
    // The command does not see the mark by which the helper shell finds its sandbox.
    assert.doesNotMatch(output, /HOLDFAST_MCP/);
    assert.deepEqual(await processesWith(`OPENAI_API_KEY=${key}`), [
      { pid: owner.pid, variable: `OPENAI_API_KEY=${key}` },
    ]);
    assert.ok(processesOf(directory).length > 1, "the sandbox has processes of its own");
    owner.kill("SIGKILL");
    await once(owner, "exit");
    await waitFor(() => processesOf(directory), {
      describe: "no process of the sandbox",
      until: (pids) => pids.length === 0,
    });
  },
);
