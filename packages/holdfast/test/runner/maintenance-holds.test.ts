import assert from "node:assert/strict";
import { test } from "node:test";
import { AgentFailure } from "../../src/agent/agent.ts";
import { config, openWorkspacePlace, project } from "./support/workspace-place.ts";
import type { WorkspacePlace } from "./support/workspace-place.ts";

// A failure that the next prompt would repeat holds the lane. A refresh of the lane's directory releases the hold.

const elsewhere = "/elsewhere";

test("L4 a refresh of the directory releases the hold, and the first prompt of the queue starts", async (t) => {
  const place = await openWorkspacePlace(t, {
    configs: { [project]: config(1), [elsewhere]: config(1) },
  });
  await holdLane(place, "main", project);
  await holdLane(place, "far", elsewhere);
  const wish = { kind: "refresh", directories: [project] } as const;
  const { status } = await place.maintenance.request(wish);
  assert.equal(status, "completed");
  assert.deepEqual(await held(place), ["far"]);
  await (await place.puppets.next()).finish();
  assert.equal(await place.outcome("main-2"), "completed");

  await place.maintenance.request({ kind: "close", directories: null });
  assert.deepEqual(await held(place), ["far"]);
  await place.maintenance.request({ ...wish, directories: null });
  assert.deepEqual(await held(place), []);
  await (await place.puppets.next("far")).finish();
  assert.equal(await place.outcome("far-2", "far"), "completed");
});

test("L4 a hold is released even if the directory is not open", async (t) => {
  const configs = { [project]: { digest: "1", broken: "no key" } };
  const place = await openWorkspacePlace(t, { configs });
  await place.prompt("a");
  await place.prompt("b");
  assert.equal(await place.outcome("a"), "failed: brokenWorkspace");
  assert.deepEqual(await held(place), ["main"]);
  place.world.configure(project, config(2));
  await place.maintenance.request({ kind: "refresh", directories: [project] });
  await (await place.puppets.next()).finish();
  assert.equal(await place.outcome("b"), "completed");
});

test("L4 M6 a refresh that fails in a directory leaves its lanes held", async (t) => {
  const place = await openWorkspacePlace(t, {
    configs: { [project]: config(1), [elsewhere]: config(1) },
  });
  await holdLane(place, "main", project);
  await holdLane(place, "far", elsewhere);
  place.world.configure(project, { digest: "2", broken: "a typing mistake" });
  const { status } = await place.maintenance.request({ kind: "refresh", directories: null });
  assert.equal(status, "failed");
  assert.deepEqual(await held(place), ["main"]);
  await (await place.puppets.next("far")).finish();
});

async function holdLane(
  place: WorkspacePlace,
  sessionId: string,
  directory: string,
): Promise<void> {
  const { holdfast } = place.first;
  if (sessionId !== "main") await holdfast.createSession({ sessionId, directory });
  for (const number of [1, 2]) {
    await holdfast.prompt({ sessionId, promptId: `${sessionId}-${number}`, text: "go" });
  }
  const run = await place.puppets.next(sessionId);
  run.fail(new AgentFailure("badKey", "the key is not good", { hold: { retryIn: null } }));
  assert.equal(await place.outcome(`${sessionId}-1`, sessionId), "failed: badKey");
}

async function held(place: WorkspacePlace): Promise<string[]> {
  const sessions = await place.first.store.failureHolds(null);
  return sessions.map(({ sessionId }) => sessionId);
}
