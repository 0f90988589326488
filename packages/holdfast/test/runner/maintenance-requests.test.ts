import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import type { MaintenanceAction } from "../../src/kernel/maintenance.ts";
import { openSqlitePlace } from "./support/place.ts";
import { refusalOf } from "./support/refusal.ts";
import { sqliteTest } from "./support/sqlite-test.ts";
import {
  answered,
  config,
  openChangedPlace,
  openWorkspacePlace,
  project,
} from "./support/workspace-place.ts";

// Maintenance actions can be requested twice, listed, read and waited for.

const refresh = { kind: "refresh", directories: [project] } as const;

sqliteTest("M2 a runtime that loads nothing has nothing to refresh", async (place) => {
  const { maintenance, workspaces } = place.first.holdfast;
  assert.equal(workspaces, null);
  for (const mode of ["maintenance", "force"] as const) {
    const answer = await maintenance.request({
      kind: "close",
      directories: null,
      mode,
      actionId: mode,
    });
    assert.deepEqual(answer, answered(mode, [], { affectedDirectories: [] }));
  }
});

test("M3 the same id is the same action, at once and later; with another request it is refused", async (t) => {
  const { maintenance, run } = await openChangedPlace(t);
  const ended: string[] = [];
  const request = (name: string) =>
    maintenance.request({ ...refresh, actionId: "act", onEnded: () => ended.push(name) });
  const answers = await Promise.all([request("one"), request("two")]);
  assert.deepEqual(answers, [answered("act", [run]), answered("act", [run])]);
  const refusals = await Promise.all(
    [
      { kind: "close", directories: [project], actionId: "act" } as const,
      { ...refresh, actionId: "not plain" },
      { ...refresh, directories: [] },
    ].map((wish) => refusalOf(maintenance.request(wish))),
  );
  assert.deepEqual(
    refusals.map(({ code }) => code),
    ["conflict", "invalid", "invalid"],
  );
  await run.finish();
  await maintenance.wait({ actionId: "act" });
  assert.deepEqual(ended.toSorted(), ["one", "two"]);
  assert.deepEqual(await request("three"), answered("act", []));
  assert.deepEqual(ended.toSorted(), ["one", "three", "two"]);
  const { actions } = await maintenance.list();
  assert.deepEqual(
    actions.map(({ actionId }) => actionId),
    ["act"],
  );
});

test("M3 actions are listed newest first, in pages, and by directory", async (t) => {
  const configs = { [project]: config(1), "/other": config(1) };
  const { maintenance, run } = await openChangedPlace(t, { configs });
  await maintenance.request({ ...refresh, actionId: "first" });
  await maintenance.request({ kind: "close", directories: ["/other"], actionId: "second" });
  await maintenance.request({ kind: "refresh", directories: null, actionId: "third" });
  const list = async (query: Parameters<typeof maintenance.list>[0]): Promise<string[]> =>
    (await maintenance.list(query)).actions.map(({ actionId }) => actionId);
  assert.deepEqual(await list({}), ["third", "second", "first"]);
  assert.deepEqual(await list({ directory: project }), ["third", "first"]);
  assert.deepEqual(await list({ status: "completed" }), ["second"]);
  assert.deepEqual(await list({ matches: ({ kind }) => kind === "close" }), ["second"]);
  const { cursor } = await maintenance.list({ limit: 2 });
  assert.ok(cursor !== null && maintenance.isCursor(cursor));
  assert.deepEqual(await maintenance.list({ limit: 2, after: cursor }), {
    actions: [await maintenance.get("first")],
    cursor: null,
  });
  assert.equal(maintenance.isCursor("anything"), false);
  await assert.rejects(maintenance.list({ after: "anything" }), RangeError);
  assert.deepEqual(
    maintenance
      .open()
      .map(({ actionId }) => actionId)
      .toSorted(),
    ["first", "third"],
  );
  await run.finish();
});

test("M3 a waiter gets the ended action, or the current one if its signal aborts", async (t) => {
  const { maintenance, run } = await openChangedPlace(t);
  await maintenance.request({ ...refresh, actionId: "act" });
  const waiting = maintenance.wait({ actionId: "act" });
  const controller = new AbortController();
  const impatient = maintenance.wait({ actionId: "act", signal: controller.signal });
  controller.abort();
  assert.equal((await impatient)?.status, "deferred");
  assert.equal(await maintenance.wait({ actionId: "none" }), null);
  assert.equal(await maintenance.get("none"), null);
  await run.finish();
  assert.equal((await waiting)?.status, "completed");
  assert.deepEqual(await maintenance.wait({ actionId: "act" }), await waiting);
});

test("M3 a listener that throws is reported, and other listeners and the action continue", async (t) => {
  const place = await openWorkspacePlace(t);
  const { maintenance } = place;
  const told: string[] = [];
  const stop = maintenance.onChange(() => {
    throw new Error("a listener's own");
  });
  maintenance.onChange((_action, name) => told.push(name));
  const { status } = await maintenance.request({ ...refresh, onEnded: throwing });
  stop();
  await maintenance.request({ ...refresh, actionId: "second" });
  const each = ["maintenance.requested", "maintenance.completed"];
  assert.deepEqual([status, told], ["completed", [...each, ...each]]);
  const messages = place.first.errors.splice(0).map(String);
  assert.deepEqual(messages, [
    "Error: a listener's own",
    "Error: a listener's own",
    "Error: a callback's own",
  ]);
});

test("M3 the last 200 ended actions are kept", async (t) => {
  let now = 1_000_000;
  const place = await openSqlitePlace(t, { storeClock: () => now });
  const { maintenance } = place.first.holdfast;
  const { store } = place.first;
  for (let number = 1; number <= 203; number += 1) {
    now += 1;
    await store.putRecord({
      kind: "maintenance",
      id: `act${number}`,
      version: null,
      value: endedAction(`act${number}`, now),
    });
  }
  const kept = await maintenance.list({ limit: 1000 });
  assert.equal(kept.actions.length, 203);
  now += 10_000;
  await waitFor(() => store.records("maintenance", { after: null, limit: 9 }), {
    describe: "no open action",
    until: (records) => records.length === 0,
  });
  await waitFor(async () => (await maintenance.list({ limit: 1000 })).actions.length, {
    describe: "200 kept actions",
    until: (count) => count === 200,
  });
  assert.deepEqual(
    [await maintenance.get("act3"), (await maintenance.get("act4"))?.status],
    [null, "completed"],
  );
});

function throwing(): never {
  throw new Error("a callback's own");
}

function endedAction(actionId: string, at: number): MaintenanceAction {
  return {
    actionId,
    kind: "close",
    directories: null,
    mode: "maintenance",
    cause: "request",
    restart: [],
    revoke: [],
    actor: { kind: "client", id: "person" },
    requestedAt: at,
    forced: null,
    parts: [],
    lifted: true,
    status: "completed",
    endedAt: at,
  };
}
