import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openEmbedded } from "./test-cli.ts";

const session = /session (\S+) \(new\)/;

test("run prints the agent, streams answers to stdout and ends with the outcome", async (t) => {
  const cli = openEmbedded(t);
  const { end, out, err } = await cli.run("run", "say hello; append a.txt x; child { say hi }");
  const id = session.exec(err)?.[1] ?? "";
  assert.deepEqual(
    { end, out },
    {
      end: 0,
      out: "[demo agent] hello\n[demo agent] I call append.\n[demo agent] I call child.\n",
    },
  );
  assert.equal(
    err.replace(/child session-\w{24}/, "child CHILD"),
    `Demo agent: offline, no model is called (send the prompt "help" to see what it can do)
To connect a model, run \`holdfast connect anthropic\` (or openai, google, openrouter, ollama), or set a variable such as ANTHROPIC_API_KEY; for all variables: holdfast models
session ${id} (new)
in ${cli.folder}, kept in ${cli.store}

  ▸ append
  ✓ append  [demo agent] appended a line to a.txt
  ▸ child
  │ [demo agent] hi
  ✓ child  [demo agent] child CHILD completed: [demo agent] hi

completed
continue with: holdfast run --session ${id} "..."
`,
  );
});

test("run waits for background children, and exits with 1 if the prompt fails", async (t) => {
  const cli = openEmbedded(t);
  const behind = await cli.run("run", "background { wait 20ms; say from behind }");
  const failed = await cli.run("run", "fail badKey");
  assert.equal(behind.end, 0);
  assert.match(behind.out, /background child session-\w+ completed: \[demo agent\] from behind\n$/);
  assert.equal(failed.end, 1);
  assert.match(failed.err, /failed \(badKey\): \[demo agent\] I was told to fail \(badKey\)\.\n/);
  const paused = await cli.run("run", "fail noQuota for 900s");
  assert.match(paused.err, /\n  ! paused: noQuota, until .+\n/);
});

test("R4 without a terminal an ask is denied with a message", async (t) => {
  const cli = openEmbedded(t);
  const { end, err } = await cli.run("run", "ask to append a.txt x");
  assert.equal(end, 0);
  assert.match(
    err,
    /\? The demo agent wants to append a\.txt x\. Allow it\?\n {2}denied: there is no terminal to ask; --yes allows everything\n {2}✗ append denied/,
  );
});

test("P6 --yes does not raise a budget: without a terminal the run ends at its limit", async (t) => {
  const cli = openEmbedded(t);
  const words = ["--yes", "--budget", "0.01", "--on-budget", "ask"];
  const { end, err } = await cli.run("run", ...words, "cost 0.02; say one; say two");
  assert.equal(end, 1);
  assert.match(
    err,
    /\n {2}denied: there is no terminal to ask; set a higher limit with --budget\n[^]*failed \(budget\)/,
  );
});

test("--mode sets the permission mode: plan changes nothing, acceptEdits does not ask", async (t) => {
  const cli = openEmbedded(t);
  const file = join(cli.folder, "a.txt");
  const words = "append a.txt x; child { append a.txt y }; ask to append a.txt z; tool read q";
  const planned = await cli.run("run", "--mode", "plan", words);
  assert.equal(planned.end, 0, planned.err);
  const refusals = planned.err.match(/refused: this session is in plan mode/g) ?? [];
  assert.ok(refusals.length >= 3, planned.err);
  assert.match(planned.err, /read pretended to work/);
  assert.equal(existsSync(file), false);
  const accepted = await cli.run("run", "-c", "--mode", "acceptEdits", "ask to append a.txt z");
  assert.equal(accepted.end, 0, accepted.err);
  assert.match(readFileSync(file, "utf8"), /^z /);
});

test("C1 Ctrl-C cancels all prompts up to its own and prints the receipt; a second Ctrl-C quits at once", async (t) => {
  const cli = openEmbedded(t);
  const slow = cli.start("run", "words 1000 every 20ms");
  await slow.printed("word-2");
  slow.process.kill("SIGINT");
  const cancelled = await slow.ended;
  assert.equal(cancelled.end, 130);
  assert.match(
    cancelled.err,
    /cancelling; press Ctrl-C again to quit at once\n\nstopped 1 running\ncancelled \(sessionCancel\)\n/,
  );

  const stubborn = cli.start("run", "tool read; stubborn");
  await stubborn.printed("✓ read");
  stubborn.process.kill("SIGINT");
  await stubborn.printed("Ctrl-C again");
  stubborn.process.kill("SIGINT");
  const left = await stubborn.ended;
  assert.equal(left.end, 130);
  assert.match(left.err, /quit; the cancel is recorded/);
  const id = session.exec(left.err)?.[1] ?? "";
  const next = await cli.run("run", "--session", id, "say next");
  assert.deepEqual([next.end, next.out], [0, "[demo agent] next\n"]);
  const { out } = await cli.run("prompts", "--session", id);
  assert.match(out, /cancelled \(sessionCancel\) .*\n.*completed .*\n$/);
});

test("--timeout cancels the prompt and exits with 1; the advice to continue names the store", async (t) => {
  const cli = openEmbedded(t);
  const store = join(cli.folder, "another place.db");
  const { end, err } = await cli.run("run", "--timeout", "20ms", "--store", store, "stall");
  assert.equal(end, 1);
  assert.match(
    err,
    /\ncontinue with: holdfast run --store '\S+\/another place\.db' --session [0-9a-f]{8} "..."\n$/,
  );
  assert.match(
    err,
    /the time limit of 20 ms is reached; cancelling the prompt\n\nstopped 1 (?:running|queued)\ncancelled \(promptCancel\)/,
  );
});

test("doctor exits with 1 and a reason for a file that is not a store, or is missing", async (t) => {
  const cli = openEmbedded(t);
  const file = join(cli.folder, "notes.txt");
  writeFileSync(
    file,
    "these are notes and no database, and long enough to be looked at\n".repeat(20),
  );
  const [wrong, missing] = await Promise.all([
    cli.run("doctor", "--store", file),
    cli.run("doctor", "--store", join(cli.folder, "none.db")),
  ]);
  assert.deepEqual(
    [wrong, missing].map(({ end, out, err }) => [end, out.slice(0, 6), err.split(":")[1]]),
    [
      [1, "✓ Node", " storeInvalid"],
      [1, "✓ Node", " storeInvalid"],
    ],
  );
});
