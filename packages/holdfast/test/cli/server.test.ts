import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect, isEvent } from "@holdfast/sdk";
import type { Holdfast, WireEvent } from "@holdfast/sdk";
import { findSession, shortId } from "../../src/cli/ids.ts";
import { waitFor } from "../support/wait-for.ts";
import { openCli } from "./test-cli.ts";
import type { Serving } from "./test-cli.ts";

const cli = openCli({ after });
let server: Serving;
let holdfast: Holdfast;

before(async () => {
  server = await cli.serve();
  holdfast = connect({ url: server.url, token: server.token });
});

test("run uses the server of its store, like every command", async () => {
  const { end, out, err } = await cli.run("run", "--yes", "say hello; ask to append r.txt x");
  const [, id = ""] = /session (\S+) \(new\)/.exec(err) ?? [];
  assert.deepEqual(
    { end, out, err },
    {
      end: 0,
      out: "[demo agent] hello\n[demo agent] I call append.\n",
      err: `Demo agent: offline, no model is called (send the prompt "help" to see what it can do)
To connect a model, run \`holdfast connect anthropic\` (or openai, google, openrouter, ollama), or set a variable such as ANTHROPIC_API_KEY; for all variables: holdfast models
session ${id} (new)
in ${cli.folder}

  ▸ append
? The demo agent wants to append r.txt x. Allow it?
  allowed: --yes
  ✓ append  [demo agent] appended a line to r.txt

completed
continue with: holdfast run --session ${id} "..."
`,
    },
  );
  const listed = await cli.run("sessions", "--json", "--search", id);
  const [first] = listed.out.split("\n");
  assert.deepEqual(
    JSON.parse(first ?? ""),
    (await holdfast.sessions.list({ search: id })).items[0],
  );
  const shown = await cli.run("show", id);
  assert.match(shown.out, /✓ append {2}\[demo agent\] appended a line to r\.txt\n$/);
  const prompts = await cli.run("prompts", "--session", id);
  assert.match(prompts.out, /completed .*say hello; ask to append r\.txt x\n$/);
  const elsewhere = await cli.run("run", "--agent", "", "--model", "local/x", "hi");
  assert.equal(elsewhere.end, 1);
  assert.match(elsewhere.err, /failed \(modelGone\): .*local/);
});

test("C1 Ctrl-C on a server cancels only its own prompt, and prompts of others continue", async () => {
  const session = await holdfast.sessions.create({ directory: cli.folder });
  const first = await session.prompt("ask to append c.txt done");
  let askId = "";
  for await (const item of first.events()) {
    if (item.type !== "ask.opened") continue;
    ({ askId } = item);
    break;
  }
  const second = cli.start("run", "--session", session.sessionId, "append c.txt never");
  // The run of the other client waits for an answer, so this prompt waits in the queue.
  await waitFor(async () => (await session.get()).queued, { describe: "a queued prompt" });
  second.process.kill("SIGINT");
  const { end, err } = await second.ended;
  assert.equal(end, 130);
  assert.match(err, /\nstopped 1 queued\ncancelled \(promptCancel\)\n/);
  await session.answer(askId, { verdict: "allow" });
  assert.equal((await first.settled()).status, "completed");
  assert.match(readFileSync(join(cli.folder, "c.txt"), "utf8"), /^done \[call-\w+\]\n$/);
});

test("P1 a run continues after its client has ended", async () => {
  const run = cli.start("run", "say begun; wait 300ms; append o.txt done");
  const [, short = ""] = await run.matched(/session (\S+) \(new\)/);
  const id = await findSession(holdfast, short);
  await run.printed("begun");
  run.process.kill("SIGKILL");
  await run.ended;
  for await (const { promptId } of holdfast.session(id).eachPrompt()) {
    const { status } = await holdfast.session(id).promptById(promptId).settled();
    assert.equal(status, "completed");
  }
  assert.ok(existsSync(join(cli.folder, "o.txt")));
});

test("R4 --yes answers for its own prompt, not for prompts of others", async () => {
  const session = await holdfast.sessions.create({ directory: cli.folder });
  const theirs = await session.prompt("ask to append t.txt x");
  for await (const item of theirs.events()) if (item.type === "ask.opened") break;
  const { sessionId } = session;
  const ours = cli.start("run", "--yes", "--session", sessionId, "ask to append u.txt x");
  await ours.printed(`session ${shortId(sessionId)}`);
  for await (const item of session.events({ after: "now" })) {
    if (item.type === "prompt.accepted") break;
    if (item.type !== "live") continue;
    if ((await session.get()).queued > 0) break;
  }
  const [ask] = (await session.asks({ open: true })).items;
  assert.ok(ask !== undefined);
  await session.answer(ask.askId, { verdict: "deny", text: "no" });
  assert.deepEqual([(await ours.ended).end, existsSync(join(cli.folder, "u.txt"))], [0, true]);
  assert.equal(existsSync(join(cli.folder, "t.txt")), false);
});

test("T2 three clients on one session see the same events in the same order", async () => {
  const session = await holdfast.sessions.create({ directory: cli.folder });
  const { sessionId } = session;
  const text = "say one; tool read x; say two";
  const seen: WireEvent[] = [];
  const watching = (async () => {
    for await (const item of session.events({ after: 1, deltas: false })) {
      if (!isEvent(item)) continue;
      seen.push(item);
      if (item.type === "run.ended") return;
    }
  })();
  const run = await cli.run("run", "--json", "--session", sessionId, text);
  await watching;
  const printed = run.out
    .trimEnd()
    .split("\n")
    .map((line): WireEvent => JSON.parse(line));
  const raw = await fetch(
    `${server.url}/v1/sessions/${sessionId}/events?after=1&follow=false&deltas=false`,
    { headers: { authorization: `Bearer ${server.token}` } },
  );
  const streamed = (await raw.text())
    .split("\n\n")
    .filter((event) => event.startsWith("id:") || event.includes("\nid:"))
    .map((event): WireEvent => JSON.parse(/^data: ?(.*)$/m.exec(event)?.[1] ?? ""));
  const last = streamed.findIndex(({ type }) => type === "run.ended") + 1;
  assert.ok(last > 5);
  assert.deepEqual(seen, streamed.slice(0, last));
  assert.deepEqual(printed.slice(0, last), streamed.slice(0, last));
});

test("run waits for a lost server; if it does not return, the exit code is 3, never 0", async (t) => {
  const own = openCli(t, { HOLDFAST_DEMO_FAULTS: "1" });
  const first = await own.serve();
  const run = own.start("run", "say before; crash once; say after");
  await run.printed("the server is unreachable; waiting up to 60 s");
  // The server returns on another port, which its discovery file names.
  const second = await own.serve();
  assert.notEqual(second.port, first.port);
  const { end, out, err } = await run.ended;
  assert.deepEqual([end, out.split("\n").at(-2)], [0, "[demo agent] after"]);
  assert.match(err, /the server is back\n {2}↻ the run was cut off; attempt 2 continues it\n/);

  const lost = own.start("run", "--patience", "300ms", "stall");
  const [, short = ""] = await lost.matched(/session (\S+) \(new\)/);
  const client = connect({ url: second.url, token: second.token });
  const id = await findSession(client, short);
  for await (const { type } of client.session(id).events()) if (type === "step.opened") break;
  second.running.process.kill("SIGKILL");
  const { end: code, err: said } = await lost.ended;
  assert.equal(code, 3);
  assert.match(
    said,
    /holdfast: unreachable: .*; the server has stored prompt \S+; to see its outcome, run: holdfast prompts/,
  );
});

test("SIGTERM while the server accepts no prompt quits at once and prints how to send it again", async (t) => {
  const own = openCli(t);
  const server = await own.serve();
  const client = connect({ url: server.url, token: server.token });
  const session = await client.sessions.create({ directory: own.folder });
  await session.prompt("stall");
  for await (const { type } of session.events()) if (type === "step.opened") break;
  await own.run("server", "stop");
  const words = ["--session", session.sessionId, "--prompt-id", "p1"];
  // With the address, the command uses only this server. Otherwise it would start another one after the stop.
  const elsewhere = openCli(t, { HOLDFAST_TOKEN: server.token });
  const run = elsewhere.start("run", "--server", server.url, ...words, "say hi");
  await run.matched(/waiting up to 60 s/);
  run.process.kill("SIGTERM");
  const { end, err } = await run.ended;
  assert.equal(end, 143);
  const fate = "the prompt may or may not have arrived; to send it again safely, add";
  assert.ok(err.endsWith(`leaving; ${fate} ${words.join(" ")}\n`), err);
});

test("C6 a time limit on a prompt that joined another prompt's run exits with 1 and does not stop that run", async () => {
  const session = await holdfast.sessions.create({ directory: cli.folder });
  const theirs = await session.prompt("ask what next; stall");
  const words = ["--session", session.sessionId, "--delivery", "steer", "--timeout", "1s"];
  const run = cli.start("run", ...words, "say ours");
  let askId = "";
  for await (const item of session.events()) {
    if (item.type === "ask.opened") askId = item.askId;
    if (item.type === "prompt.accepted" && item.promptId !== theirs.promptId) break;
  }
  await session.answer(askId, { verdict: "allow" });
  const { end, err } = await run.ended;
  assert.equal(end, 1);
  assert.match(
    err,
    /the time limit of 1000 ms is reached; .*\nthe prompt joined another prompt's run/,
  );
  assert.equal((await session.get()).status, "running");
  await session.cancel();
});

test("L4 a prompt that failed and caused a hold is shown as failed, not as waiting", async () => {
  for (let round = 0; round < 3; round += 1) {
    const { end, err } = await cli.run("run", "fail badKey");
    assert.equal(end, 1);
    assert.match(err, /\nfailed \(badKey\): .*\nthe session is paused \(badKey\); its next prompt/);
  }
});

test("a hold lets the active run end, and its client waits for the end", async () => {
  const run = cli.start("run", "say begun; wait 500ms; say over");
  const [, short = ""] = await run.matched(/session (\S+) \(new\)/);
  const id = await findSession(holdfast, short);
  await run.printed("begun");
  await holdfast.session(id).hold({ reason: "lunch" });
  const { end, out } = await run.ended;
  assert.deepEqual({ end, last: out.split("\n").at(-2) }, { end: 0, last: "[demo agent] over" });
});

test("P3 a prompt that is sent twice with its id is one prompt, even without a session, and both commands print its answer", async () => {
  const text = "append once.txt x; say added";
  const first = await cli.run("run", "--prompt-id", "once", text);
  const second = await cli.run("run", "--prompt-id", "once", text);
  assert.deepEqual([first.end, second.end], [0, 0]);
  assert.ok(first.out.endsWith("[demo agent] added\n"), first.out);
  assert.equal(second.out, "[demo agent] added\n");
  assert.equal(readFileSync(join(cli.folder, "once.txt"), "utf8").split("\n").length, 2);
});

test("a remote server without a token prints how to get one", async () => {
  const { end, err } = await cli.run("server", "status", "--server", server.url);
  assert.deepEqual(
    { end, err },
    {
      end: 1,
      err: `holdfast: unauthorized: the server at ${server.url} needs a token; run \`holdfast server token create NAME\` on the server's machine and set HOLDFAST_TOKEN to the printed token\n`,
    },
  );
});
