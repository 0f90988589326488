import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openEmbedded } from "./test-cli.ts";

const session = /session (\S+) \(new\)/;

test("P3 --json prints one line per event; the same prompt id is the same prompt", async (t) => {
  const cli = openEmbedded(t);
  const first = await cli.run("run", "--json", "--prompt-id", "p1", "append a.txt once");
  const lines = first.out
    .trimEnd()
    .split("\n")
    .map((line): { type: string; sessionId: string } => JSON.parse(line))
    // The title may arrive at any time.
    .filter(({ type }) => type !== "session.renamed");
  assert.deepEqual(
    [first.end, first.err, lines.map(({ type }) => type)],
    [
      0,
      "",
      [
        "prompt.accepted",
        "run.started",
        "step.opened",
        "step.answered",
        "tool.started",
        "tool.ended",
        "prompt.settled",
        "run.ended",
        "outcome",
      ],
    ],
  );
  const id = lines[0]?.sessionId ?? "";
  const again = await cli.run("run", "--session", id, "--prompt-id", "p1", "append a.txt once");
  const other = await cli.run("run", "--session", id, "--prompt-id", "p1", "append a.txt other");
  assert.deepEqual(
    [again.end, readFileSync(join(cli.folder, "a.txt"), "utf8").split("\n").length - 1],
    [0, 1],
  );
  assert.deepEqual(
    [other.end, other.err.split("\n").at(-2)],
    [
      1,
      "holdfast: conflict: prompt p1 already exists with different content; send new content with a new id",
    ],
  );
});

test("M9 a terminated run is handed over, listed as unfinished, and continues with --session", async (t) => {
  const cli = openEmbedded(t);
  const first = cli.start("run", "append a.txt one; say begun; stall; append a.txt two");
  await first.printed("begun");
  first.process.kill("SIGTERM");
  const left = await first.ended;
  assert.equal(left.end, 143);
  const id = session.exec(left.err)?.[1] ?? "";
  const other = await cli.run("run", "say hi");
  assert.match(other.err, new RegExp(`1 other session has unfinished work .*--session ${id} `));
  const next = await cli.run("run", "--session", id, "--delivery", "interrupt", "say instead");
  assert.deepEqual([next.end, next.out.split("\n").at(-2)], [0, "[demo agent] instead"]);
  assert.match(readFileSync(join(cli.folder, "a.txt"), "utf8"), /^one \[call-\w+\]\n$/);
});

test("the sessions of a store that another process owns can be read", async (t) => {
  const cli = openEmbedded(t);
  const owner = cli.start("run", "stall");
  await owner.printed("kept in");
  const looks = await Promise.all([
    cli.run("prompts", "--json"),
    cli.run("doctor"),
    cli.run("sessions"),
  ]);
  owner.process.kill("SIGINT");
  await owner.ended;
  assert.deepEqual(
    looks.map(({ end }) => end),
    [0, 0, 0],
  );
});
