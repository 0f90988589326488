import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { hideProgram } from "../../../../scripts/hide-program.ts";
import { openCli } from "./test-cli.ts";

const hidden = hideProgram("bwrap", process.env["PATH"] ?? "");
after(() => hidden.remove());

const onLinux = { skip: process.platform !== "linux" && "only Linux shows environments in /proc" };

test(
  "without a sandbox, /proc shows no keys of the server, but the server has them",
  onLinux,
  async (t) => {
    const secret = "sk-ant-0123456789abcdef";
    const cli = openCli(t, {
      PATH: hidden.path,
      ANTHROPIC_API_KEY: secret,
      UNUSUAL_NAME: secret,
    });
    const { running } = await cli.serve();
    const shown = readFileSync(`/proc/${running.process.pid}/environ`, "latin1");
    assert.deepEqual([shown.includes("PATH="), shown.includes(secret)], [true, false]);
    const models = await cli.run("models");
    assert.match(models.out, /anthropic/);
    running.process.kill("SIGTERM");
    assert.equal((await running.ended).end, 0);
  },
);
