import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import { openWorld } from "../workspace/support/world.ts";
import {
  config,
  follow,
  generationOf,
  openChangedPlace,
  openWorkspacePlace,
  project,
} from "./support/workspace-place.ts";

// Processes that end, one way or another, while an action waits for their runs.

const refresh = { kind: "refresh", directories: [project], actionId: "act" } as const;

test("M3 M7 after a crash and restart a deferred action ends, and the run continues with the new config", async (t) => {
  const place = await openChangedPlace(t);
  const { run } = place;
  const { status } = await place.maintenance.request(refresh);
  assert.equal(status, "deferred");
  await place.first.crash();

  const world = openWorld(t, { [project]: config(2) });
  const second = await place.open({ workspaces: world.host });
  const { told } = follow(second.holdfast.maintenance);
  const ended = await second.holdfast.maintenance.wait({ actionId: "act" });
  assert.deepEqual(
    [ended?.status, ended?.parts.map((part) => part.status)],
    ["completed", ["lost"]],
  );
  const resumed = await place.puppets.next();
  const { workspace } = resumed.context;
  const event = await place.event(({ type }) => type === "run.resumed");
  assert.ok(event.type === "run.resumed");
  assert.deepEqual(
    [event.formerGeneration, event.generation],
    [run.context.workspace.generation, workspace.generation],
  );
  await resumed.finish();
  assert.equal(await place.outcome("a"), "completed");
  assert.equal(told.filter((line) => line === "act completed").length, 1);
});

test("M3 after a crash before the new config was loaded, the restart ends the action", async (t) => {
  const place = await openWorkspacePlace(t);
  await place.openStep("a");
  const goOn = place.world.holdReads();
  const ended: string[] = [];
  const request = place.maintenance.request({ ...refresh, onEnded: () => ended.push("once") });
  await waitFor(() => place.maintenance.get("act"), { describe: "the action" });
  const crashed = place.first.crash();
  // The process answers with the state that it knows; the client can read the result on another node.
  assert.equal((await request).status, "deferred");
  await crashed;
  goOn();
  const world = openWorld(t, { [project]: config(2) });
  const second = await place.open({ workspaces: world.host });
  const action = await second.holdfast.maintenance.wait({ actionId: "act" });
  assert.deepEqual([action?.status, ended], ["completed", []]);
  assert.equal(generationOf(await place.puppets.next()), "1");
});

test("M9 M3 a stopping process hands its run over, closes its resources and ends the action before it leaves", async (t) => {
  const place = await openChangedPlace(t);
  const { maintenance, run } = place;
  const ended: string[] = [];
  await maintenance.request({ ...refresh, onEnded: ({ status }) => ended.push(status) });
  const waiting = maintenance.wait({ actionId: "act" });
  const closed = place.first.close();
  await run.stopped;
  run.end();
  await closed;
  const action = await waiting;
  assert.deepEqual(
    [action?.status, action?.parts.map(({ status }) => status), ended],
    ["completed", ["done"], ["completed"]],
  );
  const second = await place.open({ workspaces: openWorld(t, { [project]: config(2) }).host });
  assert.deepEqual(await second.holdfast.maintenance.get("act"), action);
  await (await place.puppets.next()).finish();
  assert.equal(await place.outcome("a"), "completed");
});

test("M9 M5 a process that stops during a force: the run ends cancelled, and the queue is kept", async (t) => {
  const place = await openChangedPlace(t);
  const { maintenance, run } = place;
  await place.prompt("b");
  const answer = maintenance.request({ ...refresh, mode: "force" });
  await run.stopped;
  const closed = place.first.close(1_000);
  run.end();
  await closed;
  assert.ok((await answer).status !== "failed");
  const second = await place.open({ workspaces: openWorld(t, { [project]: config(2) }).host });
  const action = await second.holdfast.maintenance.wait({ actionId: "act" });
  assert.equal(action?.status, "completed");
  await (await place.puppets.next()).finish();
  assert.deepEqual(await place.outcomes(["a", "b"]), ["cancelled: force", "completed"]);
});

test("M9 M3 a process waits only briefly for a hanging teardown; the action ends without it", async (t) => {
  const place = await openChangedPlace(t);
  const { world, maintenance, run } = place;
  const hang = Promise.withResolvers<void>();
  world.behave("mcp:x1", { close: () => hang.promise });
  await maintenance.request(refresh);
  const waiting = maintenance.wait({ actionId: "act" });
  await run.finish();
  await place.outcome("a");
  await place.first.close();
  assert.equal((await waiting)?.status, "deferred");
  const second = await place.open({ workspaces: openWorld(t, { [project]: config(2) }).host });
  const action = await second.holdfast.maintenance.wait({ actionId: "act" });
  assert.deepEqual(
    action?.parts.map(({ status }) => status),
    ["lost"],
  );
  hang.resolve();
});

test("M3 L5 a process that was without a lease has missed nothing: its next run loads the config again", async (t) => {
  const place = await openWorkspacePlace(t, { leaseTtl: 1_500, renewEvery: 100 });
  const { world, first } = place;
  const former = first.holdfast.nodeId();
  await (await place.openRun("a")).finish();
  assert.equal(await place.outcome("a"), "completed");
  const away = first.store.breakDown(["renew"]);
  await waitFor(() => first.holdfast.nodeId(), {
    describe: "a lost lease",
    until: (id) => id === null,
  });
  // Another node has changed the config, and has informed only the nodes with a lease.
  world.configure(project, config(2));
  away.repair();
  await waitFor(() => first.holdfast.nodeId(), { describe: "a new lease" });
  assert.notEqual(first.holdfast.nodeId(), former);
  assert.equal(generationOf(await place.openRun("b")), "2");
  first.errors.length = 0;
});
