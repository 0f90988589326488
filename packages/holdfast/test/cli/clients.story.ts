import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Holdfast, Receipt, SessionHandle } from "@holdfast/sdk";
import { openCli } from "./test-cli.ts";
import type { Serving } from "./test-cli.ts";

const cli = openCli({ after });
let server: Serving;
let holdfast: Holdfast;

before(async () => {
  server = await cli.serve();
  holdfast = connect({ url: server.url, token: server.token });
});

/** A session with an endless run and queued prompts. */
function busy(sessionId: string, ...queued: string[]): Promise<SessionHandle> {
  return running("stall", { sessionId, queued });
}

async function running(
  text: string,
  { sessionId, queued }: { sessionId: string; queued: readonly string[] },
): Promise<SessionHandle> {
  const session = await holdfast.sessions.create({
    sessionId,
    title: "a title",
    directory: cli.folder,
  });
  const first = await session.prompt(text, { promptId: `${sessionId}-0` });
  for await (const { type } of first.events()) if (type === "step.opened") break;
  for (const [index, text] of queued.entries()) {
    await session.prompt(text, { promptId: `${sessionId}-${index + 1}` });
  }
  return session;
}

function said(out: string): object {
  return { end: 0, out, err: "" };
}

test("C1 cancel prints the covered prompts, one or all, and repeats the receipt for the same cancel id", async () => {
  await busy("c", "say one", "say two");
  const one = await cli.run("cancel", "c", "--prompt", "c-1");
  assert.deepEqual(one, said("stopped 1 queued\n"));
  const all = await cli.run("cancel", "c", "--cancel-id", "x", "--json");
  const again = await cli.run("cancel", "c", "--cancel-id", "x");
  const { covered }: Receipt = JSON.parse(all.out);
  assert.deepEqual(
    covered.map(({ promptId, was }) => [promptId, was]),
    [
      ["c-0", "running"],
      ["c-2", "queued"],
    ],
  );
  assert.deepEqual(again, said("stopped 1 running, 1 queued\n"));
});

test("cancel says that a run is stopping until the run has ended", async () => {
  const session = await running("stubborn", { sessionId: "s", queued: ["say next"] });
  const cancel = ["cancel", "s", "--cancel-id", "y"];
  assert.deepEqual(await cli.run(...cancel), said("stopping 1 running; stopped 1 queued\n"));
  await session.promptById("s-0").settled();
  assert.deepEqual(await cli.run(...cancel), said("stopped 1 running, 1 queued\n"));
});

function queueOf(sessionId: string): (...words: string[]) => ReturnType<typeof cli.run> {
  return (...words) => cli.run("queue", "--session", sessionId, ...words);
}

test("queue shows, edits, moves, withdraws and clears prompts", async () => {
  const session = await busy("q", "say a", "say b", "say c");
  const on = queueOf("q");
  assert.deepEqual(await on("edit", "q-2", "say better"), said("q-2 was changed (revision 2)\n"));
  const moved = await on("move", "q-3", "--before", "q-1");
  const shown = `q  a title
  running  q-0  “stall”
  1  q-3  “say c”
  2  q-1  “say a”
  3  q-2  “say better”
`;
  assert.deepEqual(moved, said(shown));
  const [text, json, unknown, running] = await Promise.all([
    on(),
    on("--json"),
    on("withdraw", "q-9"),
    on("edit", "q-0", "too late"),
  ]);
  assert.deepEqual(text, said(shown));
  assert.deepEqual(JSON.parse(json.out), await session.get());
  assert.deepEqual([unknown.end, unknown.err.split(":")[1]], [1, " unknownPrompt"]);
  assert.deepEqual([running.end, running.err.split(":")[1]], [1, " notWaiting"]);
  assert.deepEqual(await on("withdraw", "q-1"), said("stopped 1 queued\n"));
  assert.deepEqual(await on("clear"), said("stopped 2 queued\n"));
  assert.equal((await session.get()).active?.kind, "run");
  await session.cancel();
});

test("L4 a paused session starts nothing until it is released; promote stops the run", async () => {
  const session = await busy("h", "say a", "say b");
  const on = queueOf("h");
  const held = await on("hold", "until monday");
  const [hold] = await session.holds();
  const short = hold?.holdId.slice("hold-".length, "hold-".length + 8) ?? "";
  const holding = `paused (${short}): prompts are accepted and wait; to resume: holdfast queue --session h release\n`;
  assert.deepEqual(held, said(holding));
  const [shown, wrong] = await Promise.all([on(), on("release", "nope")]);
  assert.match(shown.out, /^h .*\n {2}paused: until monday \([0-9a-f]{8}\)\n {2}running {2}h-0/);
  assert.deepEqual(
    [wrong.end, wrong.err],
    [
      1,
      "holdfast: unknownHold: the session has no pause nope; `holdfast queue` lists all pauses\n",
    ],
  );
  assert.deepEqual(
    await on("promote", "h-2"),
    said("h-2 is next; the active run is being stopped\n"),
  );
  await session.promptById("h-0").settled();
  assert.deepEqual(await on("promote", "h-1"), said("h-1 is next\n"));
  assert.deepEqual(await on("release", short), said("released: until monday\n"));
  const outcomes = await Promise.all(
    ["h-0", "h-1", "h-2"].map((id) => session.promptById(id).settled()),
  );
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["cancelled", "completed", "completed"],
  );
  const idle = await on();
  assert.match(idle.out, /\n {2}nothing is running or waiting\n$/);
});

test("if the owner's token is no longer accepted, commands print what to do", async () => {
  const file = join(cli.folder, "data", "holdfast", "token");
  writeFileSync(file, `hf_${"0".repeat(12)}_${"x".repeat(43)}\n`);
  const { end, err } = await cli.run("server", "status");
  writeFileSync(file, `${server.token}\n`);
  assert.equal(end, 1);
  assert.match(err, /^holdfast: unauthorized: .* was revoked, .* restart the server, .*\n$/);
});

test("a token is created, listed without its secret, used and revoked", async () => {
  const [made, open] = await Promise.all([
    cli.run("server", "token", "create", "phone", "--role", "observe", "--dir", "."),
    cli.run("server", "token", "create", "tablet", "--expires", "30d", "--json"),
  ]);
  const [, id = ""] =
    /^token (\S+) for phone \(observe\); it is shown only once\n$/.exec(made.err) ?? [];
  const secret = made.out.trim();
  const phone = connect({ url: server.url, token: secret });
  assert.deepEqual([(await phone.me()).name, JSON.parse(open.out).role], ["phone", "prompt"]);
  const [listed, unknown] = await Promise.all([
    cli.run("server", "token", "list"),
    cli.run("server", "token", "revoke", "nope"),
  ]);
  const used = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d";
  const line = `^${id}  phone +observe  \\S+  ${used}  ${cli.folder}\n`;
  assert.match(listed.out, new RegExp(line, "m"));
  assert.match(listed.out, new RegExp(`tablet +prompt +\\S+  never +expires ${used}\n`));
  assert.ok(!listed.out.includes(secret));
  assert.deepEqual([unknown.end, unknown.err.split(":")[1]], [1, " unknownToken"]);
  const revoked = await cli.run("server", "token", "revoke", id.slice(0, 8));
  assert.deepEqual(revoked, said(`revoked ${id}; its open streams have ended\n`));
  await assert.rejects(phone.me(), { code: "unauthorized" });
  const after = await cli.run("server", "token", "list");
  assert.match(after.out, new RegExp(`^${id}  .*  revoked\n`, "m"));
});

test("a store is backed up while a server is running, and the copy is complete", async () => {
  await busy("b", "say later");
  const copy = join(cli.folder, "copy.db");
  const [copied, link, status, models] = await Promise.all([
    cli.run("store", "backup", copy),
    cli.run("link"),
    cli.run("server", "status"),
    cli.run("models"),
  ]);
  assert.equal(copied.end, 0);
  assert.match(
    copied.out,
    new RegExp(`^copied to ${copy}\nExamining ${copy}\n  verified: .*\nNo problems found: .*\n$`),
  );
  assert.ok(link.out.startsWith(`${server.url}/`));
  assert.match(status.out, new RegExp(`^Holdfast \\S+ at ${server.url}, \\w+\n`));
  assert.match(status.out, /\n {2}model {4}none \(the demo agent answers\)\n/);
  assert.ok(models.out.startsWith(`Server ${server.url}\n\nNo model is connected`));
  assert.match(
    status.out,
    /\n {2}running {2}1, ready to start 0\n {11}session b {2}run [0-9a-f]{8}\n$/,
  );
  const [unchecked, again, there] = await Promise.all([
    cli.run("store", "backup", "--no-check", join(cli.folder, "unchecked.db")),
    cli.run("store", "backup", copy),
    cli.run("prompts", "--store", copy, "--session", "b", "--json"),
  ]);
  assert.match(unchecked.out, /^copied to \S+\nnot checked; .*\n$/);
  assert.equal(again.end, 1);
  const kept = there.out
    .trimEnd()
    .split("\n")
    .map((line): { promptId: string } => JSON.parse(line));
  assert.deepEqual(kept.map(({ promptId }) => promptId).toSorted(), ["b-0", "b-1"]);
  await holdfast.session("b").cancel();
});

test("M9 stop ends the server, and later commands find none", async () => {
  const stopped = await cli.run("server", "stop");
  const rest = "no run is active";
  assert.deepEqual(stopped, said(`the server at ${server.url} is stopping: ${rest}\n`));
  assert.equal((await server.running.ended).end, 0);
  const [status, nodes, again] = await Promise.all([
    cli.run("server", "status"),
    cli.run("server", "nodes"),
    cli.run("server", "stop"),
  ]);
  const none = "no server is running on this database, so there is nothing to stop";
  assert.deepEqual([again.end, again.err], [1, `holdfast: noServer: ${none}\n`]);
  assert.deepEqual([status.end, nodes.end, status.err], [1, 1, nodes.err]);
  assert.match(status.err, /^holdfast: noServer: .*holdfast serve/);
});
