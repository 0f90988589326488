import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answered,
  config,
  follow,
  generationOf,
  openChangedPlace,
  openWorkspacePlace,
  pinned,
  project,
} from "./support/workspace-place.ts";
import type { WorkspacePlace } from "./support/workspace-place.ts";
import { call } from "./support/puppets.ts";
import type { Puppet } from "./support/puppets.ts";

// A force cancels exactly the runs that pin retired generations.

const actor = { kind: "client", id: "admin" } as const;
const refresh = { kind: "refresh", directories: [project], actor } as const;

for (const kind of ["refresh", "close"] as const) {
  test(`M5 a forced ${kind} cancels the run once, and queued prompts run on the new config`, async (t) => {
    const place = await openChangedPlace(t);
    const { maintenance, run } = place;
    await place.prompt("b");
    const request = maintenance.request({ ...refresh, kind, actionId: "act", mode: "force" });
    await unwind(run);
    const answer = await request;
    assert.ok(answer.status !== "failed");
    assert.equal((await maintenance.wait({ actionId: "act" }))?.status, "completed");
    assert.equal(await place.outcome("a"), "cancelled: force");
    const next = await place.puppets.next();
    assert.deepEqual([next.context.prompts[0]?.promptId, generationOf(next)], ["b", "2"]);
    await next.finish();
    assert.equal(await place.outcome("b"), "completed");
    assert.deepEqual(await cancels(place), [`force:act:${run.context.runId}`]);
  });
}

test("M5 M2 a force can be requested later and records its actor", async (t) => {
  const place = await openWorkspacePlace(t);
  const { world, maintenance } = place;
  const { told } = follow(maintenance);
  const run = await place.openStep("a");
  await run.answer("working", [call("one")]);
  await run.startTool("one");
  await place.prompt("b");
  world.configure(project, config(2));
  const ended: string[] = [];
  const onEnded = (): void => void ended.push("act");
  const first = await maintenance.request({ ...refresh, actionId: "act", onEnded });
  assert.deepEqual(first, answered("act", [run]));
  assert.deepEqual(await maintenance.force({ actionId: "act", actor }), answered("act", [run]));
  // A repeated request covers no further runs.
  await maintenance.force({ actionId: "act" });
  await unwind(run);
  const action = await maintenance.wait({ actionId: "act" });
  assert.deepEqual(
    [action?.status, action?.mode, action?.forced?.actor, ended],
    ["completed", "force", actor, ["act"]],
  );
  assert.deepEqual(told, [
    "act requested",
    "act deferred for 1",
    "act deferred for 1",
    "act completed",
  ]);
  assert.equal(await place.outcome("a"), "cancelled: force");
  await (await place.puppets.next()).finish();
  assert.deepEqual(await place.outcomes(["b"]), ["completed"]);
  assert.deepEqual(await cancels(place), [`force:act:${run.context.runId}`]);
  assert.equal((await maintenance.force({ actionId: "act" }))?.status, "completed");
  assert.equal(await maintenance.force({ actionId: "none" }), null);
});

test("M5 C5 a run that does not stop is settled after its grace time, and the action ends", async (t) => {
  const place = await openChangedPlace(t, { stopGrace: 50 });
  const { maintenance, run } = place;
  await maintenance.request({ ...refresh, actionId: "act", mode: "force" });
  assert.equal(await place.outcome("a"), "cancelled: force");
  assert.equal((await maintenance.wait({ actionId: "act" }))?.status, "completed");
  assert.equal(run.context.signal.aborted, true);
});

test("M5 M7 a force cancels a parent and its child, and does not affect runs on the new config", async (t) => {
  const place = await openWorkspacePlace(t);
  const { world, maintenance, first } = place;
  const run = await place.openStep("a");
  await run.answer("help");
  const helped = run.context.child({ sessionId: "child", promptId: "job", text: "help" });
  const stopped = assert.rejects(helped, { name: "RunStopping" });
  const child = await place.puppets.next("child");
  world.configure(project, config(2));
  const answer = await maintenance.request({ ...refresh, actionId: "act" });
  assert.deepEqual(answer.waitingFor, [run, child].map(pinned));
  await first.holdfast.createSession({ sessionId: "new", directory: project });
  await first.holdfast.prompt({ sessionId: "new", promptId: "n", text: "go" });
  const untouched = await place.puppets.next("new");
  await maintenance.force({ actionId: "act" });
  await Promise.all([unwind(run), unwind(child)]);
  await stopped;
  assert.equal((await maintenance.wait({ actionId: "act" }))?.status, "completed");
  assert.equal(await place.outcome("a"), "cancelled: force");
  assert.match(await place.outcome("job", "child"), /^cancelled: (force|parentCancel)$/);
  assert.equal(untouched.context.signal.aborted, false);
  await untouched.finish();
  assert.equal(await place.outcome("n", "new"), "completed");
});

for (const when of ["at once", "later"] as const) {
  test(`M5 a disconnect that is forced ${when} stops the runs that use the provider, and others continue`, async (t) => {
    const resources = ["provider:good:1", "provider:gone:1"];
    const configs = { [project]: { digest: "1", resources } };
    const place = await openWorkspacePlace(t, { configs });
    const { world, maintenance, first } = place;
    const user = await place.openStep("a");
    await first.holdfast.createSession({ sessionId: "other", directory: project });
    await first.holdfast.prompt({ sessionId: "other", promptId: "o", text: "go" });
    const other = await place.puppets.next("other");
    world.use("provider:gone:1", [user.context.runId]);
    world.use("provider:good:1", [other.context.runId]);
    world.configure(project, { digest: "2", resources: ["provider:good:1"] });
    world.log();
    const mode = when === "later" ? "maintenance" : "force";
    const wish = { ...refresh, cause: "provider", revoke: ["gone"], mode } as const;
    const answering = maintenance.request({ ...wish, actionId: "act" });
    if (when === "later") {
      assert.deepEqual(await answering, answered("act", [user, other]));
      assert.ok(!world.log().includes("revoke provider:gone:1 1"));
      await maintenance.force({ actionId: "act" });
    }
    await unwind(user);
    assert.equal((await answering).status, "deferred");
    assert.ok(world.log().includes("revoke provider:gone:1 1"));
    assert.equal(await place.outcome("a"), "cancelled: force");
    assert.equal(other.context.signal.aborted, false);
    assert.equal((await maintenance.get("act"))?.status, "deferred");
    await other.finish();
    assert.equal((await maintenance.wait({ actionId: "act" }))?.status, "completed");
    assert.equal(await place.outcome("o", "other"), "completed");
  });
}

/** Ends the run like an agent that was told to stop. */
async function unwind(run: Puppet): Promise<void> {
  await run.stopped;
  run.end();
}

async function cancels(place: WorkspacePlace): Promise<string[]> {
  const events = await place.first.store.events("main", { after: null, limit: 1000 });
  return events.flatMap((event) =>
    event.type === "cancel.committed" ? [event.receipt.cancelId] : [],
  );
}
