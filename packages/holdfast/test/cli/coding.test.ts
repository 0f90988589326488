import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import { fields } from "../../../../gauntlet/model-server/protocol.ts";
import { asks, says } from "../../../../gauntlet/model-server/script.ts";
import type { Reply } from "../../../../gauntlet/model-server/script.ts";
import { key, lastWords, openModelCli, replying } from "./model-cli.ts";

const session = /session (\S+) \(new\)/;

test("--effort and --no-thinking reach the model", async (t) => {
  const cli = await openModelCli(t, replying({ think: [says("Hm.")], answer: [says("Yes.")] }));
  assert.equal((await cli.run("run", "--effort", "high", "think")).end, 0);
  assert.equal((await cli.run("run", "--no-thinking", "answer")).end, 0);
  assert.deepEqual(
    cli.server.calls.map(({ body }) => fields(body)["reasoning_effort"]),
    ["high", "none"],
  );
});

test("run and show print a note after an answer that reaches the model's length limit", async (t) => {
  const cut: Reply = { parts: [{ text: "As far as" }], finish: "length" };
  const cli = await openModelCli(t, replying({ long: [cut], short: [says("Done.")] }));
  const long = await cli.run("run", "long");
  assert.deepEqual([long.end, long.out], [0, "As far as\n"]);
  const note = /\n {2}! \[The answer reached the model's length limit\. Send .*\]\n/;
  assert.match(long.err, note);
  const shown = await cli.run("show");
  assert.match(shown.out, note);
  const { err } = await cli.run("run", "short");
  assert.doesNotMatch(err, /!/);
});

test("the prompt is read from stdin, with files and masked keys; --quiet prints only the answer", async (t) => {
  const cli = await openModelCli(t, replying({ look: [says("Seen.")] }));
  writeFileSync(join(cli.folder, "b.txt"), `the key is ${key}\n`);
  const { end, out, err } = await cli.feed("look\n", "run", "--quiet", "--file", "b.txt");
  assert.deepEqual(
    { end, out, err },
    { end: 0, out: "Seen.\n", err: "a configured key in the prompt was replaced by [secret]\n" },
  );
  const text = 'look\n\n<file path="b.txt">\nthe key is [secret]\n</file>';
  assert.equal(lastWords(cli.server.calls), text);
  assert.equal(cli.server.calls.at(-1)?.headers.authorization, `Bearer ${key}`);
});

test("--schema: an answer that does not match is asked for once more, then the command fails", async (t) => {
  const cli = await openModelCli(
    t,
    replying({
      "does not match the schema:\n- version": [says('{"version": 8}')],
      "does not match the schema": [says('```json\n{"version": "7"}\n```')],
      worse: [says('{"version": 7}')],
      better: [says("It is 7.")],
    }),
  );
  const schema = { type: "object", properties: { version: { type: "string" } } };
  writeFileSync(join(cli.folder, "s.json"), JSON.stringify({ ...schema, required: ["version"] }));
  writeFileSync(join(cli.folder, "broken.json"), JSON.stringify({ type: "strnig" }));
  const better = await cli.run("run", "--schema", "s.json", "--quiet", "better");
  assert.deepEqual(better, { end: 0, out: '{\n  "version": "7"\n}\n', err: "" });
  const worse = await cli.run("run", "--schema", "s.json", "--quiet", "worse");
  const problem = "the answer does not match the schema: version must be string, not integer";
  assert.deepEqual(worse, { end: 1, out: "", err: `${problem}\nthe answer was: {"version": 8}\n` });
  const broken = await cli.run("run", "--schema", "broken.json", "x");
  assert.deepEqual([broken.end, cli.server.calls.length], [2, 4]);
  assert.match(
    broken.err,
    /^holdfast: schema: broken\.json is not a usable JSON schema: .*#\/type must be one of object/,
  );
});

test("--json prints every event with its content, no deltas, and the outcome with its usage", async (t) => {
  const cli = await openModelCli(t, replying({ hi: [says("Hello you.")] }));
  const { end, out, err } = await cli.run("run", "--json", "hi");
  const lines = out
    .trimEnd()
    .split("\n")
    .map((line): { type: string; content?: { text?: string }; usage?: unknown } => JSON.parse(line))
    // The title may arrive at any time.
    .filter(({ type }) => type !== "session.renamed");
  const types = ["prompt.accepted", "run.started", "step.opened", "step.answered"];
  assert.deepEqual(
    [end, err, lines.map(({ type }) => type), lines[3]?.content?.text, lines.at(-1)?.usage],
    [
      0,
      "",
      [...types, "prompt.settled", "run.ended", "outcome"],
      "Hello you.",
      { inputTokens: 10, outputTokens: 5, cost: 0 },
    ],
  );
});

test("C1 Ctrl-C also cancels the prompts before its own, and prints how many", async (t) => {
  const never = new Promise<never>(() => {});
  const slow = { parts: [{ text: "I begin" }, { wait: never }] };
  const cli = await openModelCli(t, replying({ slow: [slow], after: [says("After.")] }));
  const first = cli.start("run", "slow");
  await first.printed("I begin");
  first.process.kill("SIGTERM");
  const { end, err } = await first.ended;
  assert.equal(end, 143);
  const id = session.exec(err)?.[1] ?? "";
  const second = cli.start("run", "--session", id, "after");
  await second.printed("I begin");
  second.process.kill("SIGINT");
  const cancelled = await second.ended;
  assert.equal(cancelled.end, 130);
  assert.match(cancelled.err, /\nstopped 1 running, 1 queued\ncancelled \(sessionCancel\)\n/);
});

test("R2 a call that a crash left in doubt is shown with its intent", async (t) => {
  const command = "echo x >> log.txt; sleep 3";
  const calls = [asks({ name: "shell", input: { command } }), says("I looked.")];
  const cli = await openModelCli(t, replying({ dangerous: calls, next: [says("Next.")] }));
  const first = cli.start("run", "--yes", "dangerous");
  const log = join(cli.folder, "log.txt");
  await waitFor(() => existsSync(log), { describe: `the file ${log}` });
  first.process.kill("SIGKILL");
  await first.ended;
  const second = await cli.run("run", "--continue", "next");
  assert.deepEqual([second.end, second.out], [0, "I looked.\nNext.\n"]);
  const doubt = `  ? shell ${command} in doubt: it was about to run ${command} when its process ended; it is not run again\n`;
  assert.ok(second.err.includes(doubt), second.err);
  assert.equal(readFileSync(log, "utf8"), "x\n");
});

test("M9 a run whose output is closed is handed over, not lost", async (t) => {
  const slow = { parts: [{ text: "I begin" }, { wait: new Promise<never>(() => {}) }] };
  const cli = await openModelCli(t, replying({ slow: [slow] }));
  const run = cli.start("run", "slow");
  run.process.stdout?.destroy();
  const { end, err } = await run.ended;
  assert.equal(end, 143);
  assert.match(err, /leaving; unfinished work is kept/);
  const [sessions, queue] = await Promise.all([cli.run("sessions"), cli.run("queue")]);
  assert.match(sessions.out, /cut off, continues with the next prompt {2}/);
  assert.match(queue.out, /\n {2}cut off {2}[0-9a-f]{8} {2}“slow”\n$/);
});
