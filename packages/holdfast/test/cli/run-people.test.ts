import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { findSession } from "../../src/cli/ids.ts";
import { noTerminal, plain, startAtTerminal } from "./terminal.ts";
import { openCli, openEmbedded, startShell } from "./test-cli.ts";
import type { Serving } from "./test-cli.ts";

const cli = openCli({ after });
let server: Serving;
let holdfast: Holdfast;

before(async () => {
  server = await cli.serve();
  holdfast = connect({ url: server.url, token: server.token });
});

test("a prompt that waits shows its place in the queue until it starts", async () => {
  const session = await holdfast.sessions.create({ directory: cli.folder, sessionId: "q" });
  const first = await session.prompt("stall", { promptId: "q-1" });
  for await (const { type } of first.events()) if (type === "step.opened") break;
  await session.prompt("say two", { promptId: "q-2" });
  const run = cli.start("run", "--session", "q", "say three");
  await run.printed("queued behind 2 prompts");
  await session.promptById("q-2").withdraw();
  await run.printed("queued behind 1 prompt\n");
  await session.promptById("q-1").withdraw();
  const { end, out } = await run.ended;
  assert.deepEqual([end, out.split("\n").at(-2)], [0, "[demo agent] three"]);
});

test("a prompt that steers the active run is not shown as queued", async () => {
  const session = await holdfast.sessions.create({ directory: cli.folder, sessionId: "steer" });
  const first = await session.prompt("stall", { promptId: "steer-1" });
  for await (const { type } of first.events()) if (type === "step.opened") break;
  const run = cli.start("run", "--session", "steer", "--delivery", "steer", "say steered");
  await run.printed("joins the active run before its next model call\n");
  await session.cancel();
  const { end, err } = await run.ended;
  assert.equal(end, 1);
  assert.doesNotMatch(err, /queued behind/);
});

test("the output of a queued prompt has no answers of the prompts before it", async () => {
  const session = await holdfast.sessions.create({ directory: cli.folder, sessionId: "two" });
  const before = await session.prompt("say first; stall", { promptId: "before" });
  for await (const { type } of before.events()) if (type === "step.opened") break;
  const run = cli.start("run", "--session", "two", "say second");
  await run.printed("queued behind 1 prompt");
  await before.withdraw();
  const { end, out, err } = await run.ended;
  assert.deepEqual([end, out], [0, "[demo agent] second\n"], err);
  const quiet = await cli.run("run", "--session", "two", "--quiet", "say third");
  assert.equal(quiet.out, "[demo agent] third\n");
});

test("--detach prints the prompt id and leaves the work to the server", async () => {
  const { end, out, err } = await cli.run("run", "--detach", "--prompt-id", "later", "say later");
  assert.deepEqual([end, out], [0, "later\n"]);
  const [, id = ""] = /to follow it: holdfast attach ([0-9a-f]{8})\n$/.exec(err) ?? [];
  const { items } = await holdfast.sessions.list({ search: id });
  const [session] = items;
  const { sessionId = "" } = session ?? {};
  const settled = await holdfast.session(sessionId).promptById("later").settled();
  assert.equal(settled.text, "[demo agent] later");
  const embedded = await cli.run("run", "--detach", "--embedded", "say x");
  assert.equal(embedded.end, 2);
});

test("run --continue without a prompt follows the unfinished one, or says that there is none", async () => {
  const session = await holdfast.sessions.create({ directory: cli.folder, sessionId: "c" });
  await session.prompt("ask to append c.txt x; say done", { promptId: "c-1" });
  // Without the demo agent there is no model, and a prompt that was sent before needs none.
  const first = await cli.run("run", "--session", "c", "--yes", "--agent", "");
  const answer = first.out.trimEnd().split("\n").at(-1);
  assert.deepEqual([first.end, answer], [0, "[demo agent] done"], first.err);
  assert.match(
    first.err,
    /\? The demo agent wants to append c\.txt x\. Allow it\?\n {2}allowed: --yes/,
  );
  const again = await cli.run("run", "--session", "c");
  // The shell opens the pipe for reading and writing, so the pipe never ends.
  const unread = startShell(
    "mkfifo open-pipe; holdfast run --session c --no-stdin <> open-pipe",
    cli.folder,
  );
  for (const { end, err } of [again, await unread.ended]) {
    assert.deepEqual(
      [end, err.split("\n").at(-2)],
      [
        2,
        'holdfast: prompt: the session c has nothing to continue; write a prompt: holdfast run --continue "..."',
      ],
    );
  }
});

test("a run without a model fails with exit code 2 and says how to connect one", async (t) => {
  const plainCli = openEmbedded(t, { HOLDFAST_AGENT: "" });
  const none = await plainCli.run("run", "say hi");
  const shared = await cli.run("run", "--agent", "", "say hi");
  for (const { end, out, err } of [none, shared]) {
    assert.deepEqual([end, out], [2, ""]);
    assert.match(
      err,
      /^holdfast: noModel: no model is connected\. To connect a model, run `holdfast connect anthropic` .*--agent demo\n$/,
    );
  }
  const other = await cli.run("run", "--agent", "nope", "say hi");
  assert.deepEqual([other.end, other.out], [2, ""]);
  assert.match(
    other.err,
    /^holdfast: invalid: There is no agent nope .* Available agents: default, demo\./,
  );
  const demo = await plainCli.run("run", "--agent", "demo", "say hi");
  assert.deepEqual([demo.end, demo.out], [0, "[demo agent] hi\n"]);
  assert.match(demo.err, /^Demo agent: .*\nTo connect a model, /);
  const key = { HOLDFAST_AGENT: "", ANTHROPIC_API_KEY: "sk-demo-4711" };
  const connected = await openEmbedded(t, key).run("run", "--agent", "demo", "say hi");
  assert.match(connected.err, /^Demo agent: .*\nsession /);
});

test(
  "the first Ctrl-C at a terminal asks whether to stop or to leave the work to the server",
  { skip: noTerminal },
  async () => {
    const environment = { XDG_DATA_HOME: join(cli.folder, "data") };
    const place = { folder: cli.folder, environment };
    const left = startAtTerminal("run --prompt-id left 'say begun; stall'", place);
    await left.printed("begun");
    left.process.stdin?.write("\u0003");
    await left.printed("leave it to the server (d)");
    left.process.stdin?.write("d\n");
    const { end, out } = await left.ended;
    assert.equal(end, 0, out);
    const [, short = ""] = /holdfast attach ([0-9a-f]{8})\s/.exec(plain(out)) ?? [];
    const id = await findSession(holdfast, short);
    assert.equal((await holdfast.session(id).promptById("left").get()).status, "running");
    await holdfast.session(id).cancel();

    const stopped = startAtTerminal("run 'say begun; stall'", place);
    await stopped.printed("begun");
    stopped.process.stdin?.write("\u0003");
    await stopped.printed("leave it to the server (d)");
    stopped.process.stdin?.write("\u0003");
    const ended = await stopped.ended;
    assert.equal(ended.end, 130, ended.out);
    assert.match(plain(ended.out), /stopped 1 running\ncancelled/);
  },
);
