import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serversIn } from "../support/end-servers.ts";
import { waitFor } from "../support/wait-for.ts";
import { openCli, openEmbedded } from "./test-cli.ts";

const attempt = /↻ the run was cut off; attempt 2 continues it\n/;

test("R1 run --continue without a prompt resumes a run whose process was killed", async (t) => {
  const cli = openEmbedded(t, { HOLDFAST_DEMO_FAULTS: "1" });
  const text = "append a.txt one; crash once; append a.txt two; say done";
  assert.equal((await cli.run("run", text)).end, "SIGKILL");
  const { end, out, err } = await cli.run("run", "--continue");
  assert.deepEqual([end, out.trimEnd().split("\n").at(-1)], [0, "[demo agent] done"], err);
  assert.match(err, attempt);
  const lines = readFileSync(join(cli.folder, "a.txt"), "utf8").replaceAll(/ \[call-\w+\]/g, "");
  assert.equal(lines, "one\ntwo\n");
});

test("R1 run --continue without a prompt follows a run to its end after its server was killed", async (t) => {
  const cli = openCli(t);
  const first = cli.start("run", "say begun; wait 500ms; say done");
  await first.printed("begun");
  first.process.kill("SIGKILL");
  await first.ended;
  for (const pid of serversIn(cli.folder)) process.kill(pid, "SIGKILL");
  await waitFor(() => serversIn(cli.folder).length === 0, { describe: "the end of the server" });
  const { end, out, err } = await cli.run("run", "--continue");
  assert.deepEqual([end, out.trimEnd().split("\n").at(-1)], [0, "[demo agent] done"], err);
});
