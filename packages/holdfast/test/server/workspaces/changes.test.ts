import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { Refused } from "@holdfast/sdk";
import type { MaintenanceItem } from "@holdfast/sdk";
import { waitFor } from "../../support/wait-for.ts";
import {
  begun,
  generations,
  isAlive,
  listen,
  openWorkspaceServer,
  until,
  withoutId,
} from "./workspace-server.ts";

/** A server with one project, and a session in it. */
async function openWithModel(t: TestContext) {
  const fixture = await openWorkspaceServer(t);
  const directory = fixture.folder("shop");
  const session = await fixture.session("shop", directory);
  return { fixture, holdfast: fixture.holdfast, directory, session };
}

test("M4 five refreshes while a run uses the old state: one load, five answers", async (t) => {
  const { fixture, holdfast, directory, session } = await openWithModel(t);
  await fixture.trust(directory, { mcp: { notes: fixture.notes() } });
  const prompt = await session.prompt("use door");
  const { runId } = await until(session, "tool.started");
  await fixture.trust(directory, { mcp: { notes: { ...fixture.notes(), timeout: "50s" } } });
  const booted = fixture.pids().length;
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => holdfast.maintenance.refresh([directory])),
  );
  const waitingFor = [{ directory, sessionId: "shop", runId }];
  assert.deepEqual(
    answers.map(withoutId),
    answers.map(() => ({
      status: "deferred",
      affectedDirectories: [directory],
      waitingFor,
      problems: [],
    })),
  );
  assert.equal(new Set(answers.map(({ actionId }) => actionId)).size, 5);
  assert.deepEqual([booted, fixture.pids().length], [2, 2]);
  const [old = 0, present = 0] = fixture.pids();
  assert.deepEqual([isAlive(old), isAlive(present)], [true, true]);
  fixture.open("door");
  assert.equal((await prompt.settled()).text, "use done");
  const ended = await Promise.all(
    answers.map(({ actionId }) => holdfast.maintenance.ended(actionId)),
  );
  assert.deepEqual(
    ended.map(({ status }) => status),
    answers.map(() => "completed"),
  );
  assert.deepEqual([isAlive(old), isAlive(present)], [false, true]);

  // One server can be restarted even if its config has not changed.
  const restarted = await holdfast.mcp.restart("notes", { directory });
  assert.equal(restarted.status, "completed");
  assert.deepEqual(fixture.pids().map(isAlive), [false, false, true]);
  const [server] = await holdfast.mcp.list(directory);
  assert.deepEqual(server, {
    name: "notes",
    transport: "stdio",
    status: "connected",
    problem: null,
    file: join(directory, "holdfast.jsonc"),
    line: 10,
    server: "notes 1.0.0",
    tools: [{ name: "notes_wait_for", description: "Waits for a file." }],
    prompts: [],
    resources: 0,
    needsSignIn: false,
    stderr: "",
  });
});

test("M5 force on a deferred action cancels each run once; queued prompts run on the new state", async (t) => {
  const { fixture, holdfast, directory, session } = await openWithModel(t);
  const notices = await listen(t, holdfast);
  const running = await session.prompt("think door");
  await until(session, "step.opened");
  const queued = await session.prompt("hello");
  fixture.configure(directory, { agents: { other: { prompt: "Be the other." } } });
  const { actionId, status } = await holdfast.maintenance.refresh([directory], {
    actionId: "r1",
  });
  assert.deepEqual([actionId, status], ["r1", "deferred"]);
  const body = { kind: "refresh", directories: [directory], actionId: "r1" };
  const { ask, owner } = fixture.testServer;
  const repeated = await ask("POST", "/v1/maintenance", { token: owner, body });
  const { actionId: again }: { actionId: string } = JSON.parse(repeated.text);
  assert.deepEqual([repeated.status, again], [202, "r1"]);
  const other = { ...body, kind: "close" };
  const conflict = await ask("POST", "/v1/maintenance", { token: owner, body: other });
  assert.deepEqual([conflict.status, conflict.code], [409, "conflict"]);
  await holdfast.maintenance.force(actionId);
  const cancelled = await running.settled();
  assert.deepEqual([cancelled.status, cancelled.reason], ["cancelled", "force"]);
  const ended = await holdfast.maintenance.ended(actionId);
  assert.deepEqual([ended.status, ended.forced?.actor.id], ["completed", "owner"]);
  const after = await queued.settled();
  assert.deepEqual([after.status, after.text], ["completed", "hello done"]);
  const [first, second] = await generations(session);
  assert.notEqual(first, second);
  const cancels = [];
  for await (const event of session.events({ deltas: false, follow: false })) {
    if (event.type === "cancel.committed") cancels.push(event);
  }
  assert.equal(cancels.length, 1);
  const isEnd = ({ told: name, action }: MaintenanceItem): boolean =>
    name === "maintenance.completed" && action.actionId === actionId;
  assert.equal(notices.filter(isEnd).length, 1);

  const last = await session.prompt("think again");
  await begun(session, last);
  const forced = await holdfast.maintenance.close([directory], { mode: "force" });
  assert.equal((await last.settled()).reason, "force");
  assert.equal((await holdfast.maintenance.ended(forced.actionId)).status, "completed");
  const { items } = await holdfast.maintenance.list({ directory });
  assert.deepEqual(
    items
      .filter(({ cause }) => cause === "request")
      .map(({ kind, mode, status }) => [kind, mode, status]),
    [
      ["close", "force", "completed"],
      ["refresh", "force", "completed"],
    ],
  );
});

test("M6 after a broken config or a failed server start, the previous state stays in use", async (t) => {
  const { fixture, holdfast, directory, session } = await openWithModel(t);
  const file = join(directory, "holdfast.jsonc");
  const say = async () => (await (await session.prompt("hello")).settled()).text;
  assert.equal(await say(), "hello done");
  const before = (await holdfast.workspaces.get(directory)).generation;

  writeFileSync(file, '{\n  "agents": {,\n}');
  const broken = await holdfast.maintenance.refresh([directory]);
  assert.deepEqual([broken.status, broken.problems.length], ["failed", 1]);
  assert.match(broken.problems[0]?.message ?? "", /holdfast\.jsonc:2:/);
  const config = await holdfast.config.get({ directory });
  const errors = config.notices.filter(({ severity }) => severity === "error");
  assert.deepEqual([errors[0]?.file, errors[0]?.line], [file, 2]);
  assert.deepEqual((await holdfast.workspaces.get(directory)).generation, before);

  rmSync(file);
  await fixture.trust(directory, { mcp: { notes: fixture.notes("break") } });
  // The server may have loaded the new config before it was trusted, without its MCP server.
  const used = (await holdfast.workspaces.get(directory)).generation;
  const unstarted = await holdfast.maintenance.refresh([directory]);
  assert.equal(unstarted.status, "failed");
  assert.match(unstarted.problems[0]?.message ?? "", /notes/);
  assert.equal(await say(), "hello done");
  const workspace = await holdfast.workspaces.get(directory);
  assert.deepEqual(workspace.generation, used);
  assert.match(workspace.problem ?? "", /notes/);
  assert.equal((await generations(session)).at(-1), used?.generationId);

  // The file was changed by someone else, and a config that cannot be loaded is not written.
  const { digest } = await holdfast.config.get({ directory });
  const stale = holdfast.config.save({ directory, text: "{}", digest: "another" });
  await assert.rejects(stale, { code: "staleRevision" });
  const text = '{ "agnet": "x", "agent": 7 }';
  const bad = await holdfast.config
    .save({ directory, text, digest })
    .catch((error: unknown) => error);
  assert.ok(bad instanceof Refused);
  assert.deepEqual(
    [bad.code, bad.message],
    ["badConfig", "the config was not saved: must be a string in quotes, not a number"],
  );
  assert.match(
    JSON.stringify(bad.details),
    /"severity":"error"[^}]*"key":"agent".*"severity":"warning"[^}]*"key":"agnet"/,
  );
  const saved = await holdfast.config.save({ directory, text: "{}", digest });
  assert.equal(saved.status, "completed");
  assert.equal(await say(), "hello done");
});

test("M7 a child uses its parent's config version; a run that edits its own config affects the next run", async (t) => {
  const { fixture, holdfast, directory, session } = await openWithModel(t);
  const parent = await session.prompt("late door");
  const runId = await begun(session, parent);
  fixture.configure(directory, { agents: { other: { prompt: "Be the other." } } });
  const { actionId, status, waitingFor } = await holdfast.maintenance.refresh([directory]);
  assert.deepEqual([status, waitingFor], ["deferred", [{ directory, sessionId: "shop", runId }]]);
  fixture.open("door");
  assert.equal((await parent.settled()).text, "late done");
  assert.equal((await holdfast.maintenance.ended(actionId)).status, "completed");
  const { childSessionId } = await until(session, "child.linked");
  const child = holdfast.session(childSessionId);
  assert.deepEqual(await generations(child), await generations(session));

  fixture.configure(directory, {
    agents: { other: { prompt: "Be the other." } },
    permissions: [{ action: "change", pattern: "**", effect: "allow" }],
  });
  rmSync(join(directory, "holdfast.jsonc"));
  const editing = await session.prompt("edit it");
  const { askId } = await until(session, "ask.opened");
  await session.answer(askId, { verdict: "allow" });
  assert.equal((await editing.settled()).text, "edit done");
  await (await session.prompt("hello")).settled();
  const [, second, third] = await generations(session);
  assert.notEqual(second, third);
  const { agents } = await holdfast.workspaces.get(directory);
  assert.ok(agents.some(({ name }) => name === "written"));
});

test("a disconnected provider serves its runs to the end; with force its key is no longer sent", async (t) => {
  const { fixture, holdfast, directory, session } = await openWithModel(t);
  const { model } = fixture;
  const { items } = await holdfast.providers.list();
  assert.deepEqual(
    items.map(({ name, status, source, key }) => ({ name, status, source, key })),
    [{ name: "local", status: "connected", source: "environment", key: "…7a35" }],
  );
  const first = await session.prompt("think door");
  await until(session, "step.opened");
  const gentle = await holdfast.providers.disconnect("local");
  assert.equal(gentle.status, "deferred");
  fixture.open("door");
  assert.equal((await first.settled()).text, "think done");
  assert.equal((await holdfast.maintenance.ended(gentle.actionId)).status, "completed");
  const { model: chosen } = await holdfast.workspaces.get(directory);
  const gone = await (await session.prompt("hello")).settled();
  assert.deepEqual([gone.status, gone.reason, chosen], ["failed", "modelGone", "local/test"]);

  const baseUrl = model.addresses.openaiChat;
  await holdfast.providers.connect("local", { key: "sk-other-0011223344556677", baseUrl });
  await holdfast.providers.connect("second", { baseUrl, protocol: "compatible" });
  const elsewhere = await fixture.session("elsewhere", directory);
  const spared = await elsewhere.prompt("think later", { model: "second/test" });
  await begun(elsewhere, spared);
  const second = await session.prompt("retry force");
  await begun(session, second);
  await waitFor(() => model.calls.length, {
    describe: "three model calls",
    until: (count) => count >= 3,
  });
  const { actionId } = await holdfast.providers.disconnect("local", { mode: "force" });
  assert.deepEqual([(await second.settled()).reason], ["force"]);
  assert.deepEqual((await holdfast.maintenance.get(actionId)).revoke, ["local"]);
  // Runs with another provider are not affected, and no run uses this one any more.
  fixture.open("later");
  assert.equal((await spared.settled()).text, "think done");
  assert.equal((await holdfast.maintenance.ended(actionId)).status, "completed");
  assert.equal(model.calls.length, 3);
  await assert.rejects(holdfast.providers.disconnect("nobody"), { code: "unknownProvider" });
});

test("M5 forcing a disconnect later cancels only runs of that provider, and its key is no longer sent", async (t) => {
  const { fixture, holdfast, session } = await openWithModel(t);
  const { model } = fixture;
  const baseUrl = model.addresses.openaiChat;
  await holdfast.providers.connect("second", { baseUrl, protocol: "compatible" });
  const elsewhere = await fixture.session("elsewhere", fixture.folder("elsewhere"));
  const spared = await elsewhere.prompt("think later", { model: "second/test" });
  await begun(elsewhere, spared);
  const using = await session.prompt("retry force");
  await begun(session, using);
  await waitFor(() => model.calls.length, {
    describe: "two model calls",
    until: (count) => count >= 2,
  });
  const { actionId, status, waitingFor } = await holdfast.providers.disconnect("local");
  assert.deepEqual([status, waitingFor.length], ["deferred", 2]);
  assert.deepEqual((await holdfast.maintenance.get(actionId)).revoke, []);

  await holdfast.maintenance.force(actionId);
  assert.deepEqual([(await using.settled()).reason], ["force"]);
  assert.deepEqual((await holdfast.maintenance.get(actionId)).revoke, ["local"]);
  const sent = model.calls.length;
  fixture.open("force");
  fixture.open("later");
  assert.equal((await spared.settled()).text, "think done");
  assert.equal((await holdfast.maintenance.ended(actionId)).status, "completed");
  assert.equal(model.calls.length, sent);
});

test("a prompt that waits for its directory to load can be cancelled", async (t) => {
  const { fixture, directory, session } = await openWithModel(t);
  await fixture.trust(directory, { mcp: { notes: fixture.notes("hang") } });
  const prompt = await session.prompt("hello");
  await waitFor(() => fixture.pids().length, {
    describe: "a process of the server",
    until: (count) => count > 0,
  });
  await session.cancel();
  const settled = await prompt.settled();
  assert.deepEqual([settled.status, settled.reason], ["cancelled", "sessionCancel"]);
  assert.equal(settled.runId, null);
});

test("M3 M7 M9 if a server stops during a deferred action, the next one completes it and continues the run", async (t) => {
  const { fixture, holdfast, directory, session } = await openWithModel(t);
  const prompt = await session.prompt("think door");
  await until(session, "step.opened");
  fixture.configure(directory, { agents: { other: { prompt: "Be the other." } } });
  const { actionId, status } = await holdfast.maintenance.refresh([directory]);
  assert.equal(status, "deferred");
  await fixture.restart();
  const ended = await holdfast.maintenance.ended(actionId);
  assert.equal(ended.status, "completed");
  fixture.open("door");
  assert.equal((await prompt.settled()).text, "think done");
  const [before] = await generations(session);
  const { generation } = await until(session, "run.resumed");
  assert.notEqual(generation, before);
});

test("M8 an exclusive operation waits for the run, not for maintenance; a deleted session keeps nothing open", async (t) => {
  const { fixture, holdfast, directory, session } = await openWithModel(t);
  const { runId } = await (await session.prompt("hello")).settled();
  const running = await session.prompt("think door");
  await begun(session, running);
  fixture.configure(directory, { agents: { other: { prompt: "Be the other." } } });
  const refreshed = await holdfast.maintenance.refresh([directory]);
  assert.equal(refreshed.status, "deferred");
  const reverted = session.revert(runId ?? "");
  fixture.open("door");
  assert.equal((await running.settled()).status, "completed");
  assert.equal((await reverted).status, "ended");
  assert.equal((await holdfast.maintenance.ended(refreshed.actionId)).status, "completed");

  const last = await session.prompt("think never");
  await begun(session, last);
  const closed = await holdfast.maintenance.close([directory]);
  assert.equal(closed.status, "deferred");
  await session.delete();
  assert.equal((await last.settled()).reason, "deleted");
  assert.equal((await holdfast.maintenance.ended(closed.actionId)).status, "completed");
});
