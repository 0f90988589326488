import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { settled } from "../support/hand-clock.ts";
import { waitFor } from "../support/wait-for.ts";
import type { Puppet } from "./support/puppets.ts";
import {
  config,
  generationOf,
  openChangedPlace,
  openWorkspacePlace,
  project,
} from "./support/workspace-place.ts";
import type { WorkspacePlace } from "./support/workspace-place.ts";

// Generations that a run pins at its start, and that its children inherit.

interface Load {
  readonly begun: Promise<void>;
  readonly goOn: () => void;
}

/** The server of the directory does not start before the test allows it. */
function holdLoad({ world }: WorkspacePlace): Load {
  const begun = Promise.withResolvers<void>();
  const opening = Promise.withResolvers<void>();
  const open = (): Promise<void> => {
    begun.resolve();
    return opening.promise;
  };
  world.behave("mcp:x1", { open });
  return { begun: begun.promise, goOn: opening.resolve };
}

/** A place where prompt `a` waits for the directory, which is being loaded. */
async function openLoadingPlace(t: TestContext): Promise<WorkspacePlace & { readonly load: Load }> {
  const place = await openWorkspacePlace(t);
  const load = holdLoad(place);
  await place.prompt("a");
  await load.begun;
  return { ...place, load };
}

/** The first process ends, and leaves the run to others. */
async function handOver(place: WorkspacePlace, run: Puppet): Promise<void> {
  const closed = place.first.close();
  await run.stopped;
  run.end();
  await closed;
}

test("C2 M1 a prompt that waits for its config to load is cancelled at once", async (t) => {
  const place = await openLoadingPlace(t);
  const { holdfast } = place.first;
  const { covered } = await holdfast.cancel({ sessionId: "main" });
  assert.deepEqual(
    covered.map(({ promptId }) => promptId),
    ["a"],
  );
  assert.equal(await place.outcome("a"), "cancelled: sessionCancel");
  await place.prompt("b");
  place.load.goOn();
  const run = await place.puppets.next();
  assert.equal(generationOf(run), "1");
  await run.finish();
  assert.equal(await place.outcome("b"), "completed");
  assert.deepEqual(place.puppets.begun, ["b"]);
  assert.deepEqual(await (await place.world.closeAll()).ended, [], "no pin is left");
});

test("M1 loading a config for a prompt that was cancelled meanwhile keeps nothing open", async (t) => {
  const place = await openLoadingPlace(t);
  await place.first.holdfast.cancel({ sessionId: "main" });
  const closed = place.world.closeAll();
  place.load.goOn();
  assert.deepEqual(await (await closed).ended, []);
  assert.deepEqual(place.puppets.begun, []);
});

test("M1 a run that starts without an MCP server records it in the log, and a complete one records nothing", async (t) => {
  const place = await openWorkspacePlace(t);
  let said: string | null = "it is not there yet";
  place.world.behave("mcp:x1", { notice: () => said });
  await place.prompt("a");
  await (await place.puppets.next()).finish();
  await place.outcome("a");
  said = null;
  place.world.change("mcp:x1", "with tools");
  await place.world.refresh();
  await place.prompt("b");
  await (await place.puppets.next()).finish();
  await place.outcome("b");
  const page = { after: null, limit: 100, types: ["run.started"] } as const;
  const started = await place.first.holdfast.store.events("main", page);
  assert.deepEqual(
    started.map((event) => (event.type === "run.started" ? event.without : event.type)),
    [["server mcp:x1"], undefined],
  );
});

test("M1 a start that was too late keeps no config version open", async (t) => {
  const place = await openWorkspacePlace(t);
  await place.world.host.load(project);
  const held = await place.first.holdBack("run.start");
  await place.prompt("a");
  await held.arrived;
  await place.first.holdfast.cancel({ sessionId: "main" });
  held.release();
  assert.deepEqual(await (await place.world.closeAll()).ended, []);
  assert.deepEqual(place.puppets.begun, []);
});

test("M9 a stopping process leaves a prompt that waits for its config to others", async (t) => {
  const place = await openLoadingPlace(t);
  await place.first.close();
  assert.deepEqual((await place.types()).slice(-1), ["prompt.accepted"]);
  const second = await place.open();
  place.load.goOn();
  const run = await place.puppets.next();
  assert.equal(run.agent, second.name);
  await run.finish();
  assert.equal(await place.outcome("a"), "completed");
});

test("L3 a directory that loads slowly holds no slot and does not delay others", async (t) => {
  const other = { sessionId: "other", directory: "/other" };
  const configs = { [project]: config(1), [other.directory]: { digest: "1" } };
  const place = await openWorkspacePlace(t, { configs, maxRuns: 0 });
  const load = holdLoad(place);
  for (const sessionId of ["one", "two"]) {
    await place.first.holdfast.createSession({ sessionId, directory: project });
    await place.prompt("p", { sessionId });
  }
  await place.first.close();
  assert.deepEqual(place.world.log(), [], "who has no place loads nothing");
  const { holdfast } = await place.open({ maxRuns: 1 });
  await load.begun;
  await holdfast.createSession(other);
  const { sessionId } = other;
  await holdfast.prompt({ sessionId, promptId: "a", text: "go" });
  await (await place.puppets.next(sessionId)).finish();
  // Only scans find prompts that have expired.
  await holdfast.placeHold({ sessionId, holdId: "wait", reason: "not yet" });
  const expiresAt = (await holdfast.store.now()) + 50;
  await holdfast.prompt({ sessionId, promptId: "b", text: "late", expiresAt });
  assert.equal(await place.outcome("b", sessionId), "failed: expired");
  await holdfast.releaseHold({ sessionId, holdId: "wait" });
  await holdfast.prompt({ sessionId, promptId: "c", text: "go on" });
  const run = await place.puppets.next(sessionId);
  load.goOn();
  const closed = await place.world.refresh({ kind: "close", directories: [project] });
  assert.deepEqual(await closed.ended, [], "who finds no place leaves no pin");
  await run.finish();
  for (const each of ["one", "two"]) await (await place.puppets.next(each)).finish();
  assert.deepEqual(
    [await place.outcome("p", "one"), await place.outcome("p", "two")],
    ["completed", "completed"],
  );
});

test("L3 M6 an edit whose server hangs uses no slot, and its run starts without it", async (t) => {
  const files = "config:files";
  const other = { sessionId: "other", directory: "/other" };
  const before = { digest: "1", resources: [files] };
  const configs = { [project]: before, [other.directory]: { digest: "1" } };
  const place = await openWorkspacePlace(t, { configs, maxRuns: 1 });
  const { world, first } = place;
  let edited = false;
  world.outdate(files, async () => edited);
  await world.host.load(project);
  const begun = Promise.withResolvers<void>();
  const open = (): Promise<void> => {
    edited = false;
    begun.resolve();
    return new Promise(() => {});
  };
  world.behave("mcp:hangs", { open });
  world.configure(project, { digest: "2", resources: [files, "mcp:hangs"] });
  edited = true;
  await place.prompt("a");
  await begun.promise;
  await first.holdfast.createSession(other);
  await first.holdfast.prompt({ sessionId: "other", promptId: "b", text: "go" });
  await (await place.puppets.next("other")).finish();
  assert.equal(await place.outcome("b", "other"), "completed");
  await world.clock.move(5_000);
  const run = await place.puppets.next("main");
  assert.equal(generationOf(run), "1");
  await run.finish();
  assert.equal(await place.outcome("a"), "completed");
});

test("P5 many directories are loaded a few at a time", async (t) => {
  const names = Array.from({ length: 40 }, (_, index) => `/flood/${index}`);
  const configs = Object.fromEntries(names.map((name) => [name, config(1)]));
  const place = await openWorkspacePlace(t, { configs, maxRuns: 50 });
  let loading = 0;
  let most = 0;
  const open = async (): Promise<void> => {
    most = Math.max(most, (loading += 1));
    await waitFor(() => most > 1, { describe: "two directories that are loaded at a time" });
    await settled();
    loading -= 1;
  };
  place.world.behave("mcp:x1", { open });
  for (const directory of names) {
    const sessionId = directory.replaceAll("/", "-");
    await place.first.holdfast.createSession({ sessionId, directory });
    await place.first.holdfast.placeHold({ sessionId, holdId: "wait", reason: "not yet" });
    await place.prompt("p", { sessionId });
  }
  const sessions = names.map((name) => name.replaceAll("/", "-"));
  const { holdfast } = place.first;
  await Promise.all(
    sessions.map((sessionId) => holdfast.releaseHold({ sessionId, holdId: "wait" })),
  );
  for (const sessionId of sessions) await (await place.puppets.next(sessionId)).finish();
  assert.ok(most <= 16, `${most} at a time`);
});

test("M7 a child's run uses its parent's config version; a person's prompt there uses the newest", async (t) => {
  const place = await openWorkspacePlace(t);
  const { holdfast } = place.first;
  const parent = await place.openStep("a");
  await parent.answer("asking for help");
  place.world.configure(project, config(2));
  const applied = await place.world.refresh();
  const helped = parent.context.child({ sessionId: "child", promptId: "job", text: "help" });
  const child = await place.puppets.next("child");
  await holdfast.prompt({ sessionId: "child", promptId: "own", text: "and this" });
  assert.deepEqual([generationOf(parent), generationOf(child)], ["1", "1"]);
  const waiting = [parent, child].map(({ context }) => context.runId);
  assert.deepEqual(
    applied.waitingFor().map(({ runId }) => runId),
    waiting,
  );
  await child.finish("found it");
  const own = await place.puppets.next("child");
  assert.equal(generationOf(own), "2");
  await own.finish();
  assert.equal((await helped).text, "found it");
  await parent.finish();
  assert.deepEqual(await applied.ended, []);
});

test("M7 a waiting child inherits the config version even if its parent changes owner", async (t) => {
  const place = await openWorkspacePlace(t, { maxRuns: 1 });
  const parent = await place.openStep("a");
  await parent.answer("asking for help");
  await parent.context.background({ sessionId: "child", promptId: "job", text: "help" });
  const hold = { sessionId: "child", holdId: "wait" };
  await place.first.holdfast.placeHold({ ...hold, reason: "not yet" });
  await handOver(place, parent);
  place.world.configure(project, config(2));
  await place.world.refresh();
  const second = await place.open({ maxRuns: 2 });
  const resumed = await place.puppets.next();
  place.world.configure(project, config(3));
  await place.world.refresh();
  await second.holdfast.releaseHold(hold);
  const child = await place.puppets.next("child");
  assert.deepEqual([generationOf(resumed), generationOf(child)], ["2", "2"]);
  await child.finish();
  await resumed.finish();
  await (await place.puppets.next()).finish();
  assert.equal(await place.outcome("a"), "completed");
});

test("M7 a resumed run uses the newest config version and records it", async (t) => {
  const { run, ...place } = await openChangedPlace(t);
  await place.world.refresh();
  const second = await place.open();
  await handOver(place, run);
  const resumed = await place.puppets.next();
  assert.equal(resumed.agent, second.name);
  const event = await place.event(({ type }) => type === "run.resumed");
  assert(event.type === "run.resumed");
  assert.deepEqual(
    [event.formerGeneration, event.generation],
    [run.context.workspace.generation, resumed.context.workspace.generation],
  );
  assert.deepEqual([generationOf(run), generationOf(resumed)], ["1", "2"]);
  await resumed.finish();
  assert.equal(await place.outcome("a"), "completed");
});

test("L4 M6 a directory that cannot be loaded fails the run with the reason, and holds the lane", async (t) => {
  const broken = { digest: "1", broken: "a comma is missing" };
  const place = await openWorkspacePlace(t, { configs: { [project]: broken } });
  const { holdfast } = place.first;
  await place.prompt("a");
  assert.equal(await place.outcome("a"), "failed: brokenWorkspace");
  const row = await holdfast.wait({ sessionId: "main", promptId: "a" });
  assert(row !== null);
  assert.equal(await holdfast.resultText(row), "holdfast.jsonc:3:1: mcp.x: a comma is missing");
  const { holds } = (await holdfast.store.lane("main")) ?? { holds: [] };
  assert.deepEqual(
    holds.map(({ kind }) => kind),
    ["failure"],
  );
});

test("P6 a directory's own limits override the runtime's", async (t) => {
  const limits = { maxSteps: 3, stopGrace: 700, budget: { tokens: 10, cost: null } };
  const configs = { [project]: { digest: "1", limits } };
  const place = await openWorkspacePlace(t, { configs });
  const run = await place.openStep("a");
  const event = await place.event(({ type }) => type === "run.started");
  assert(event.type === "run.started");
  assert.deepEqual(event.limits, limits);
  await run.answer("done");
  run.end();
  assert.equal(await place.outcome("a"), "completed");
});

test("R1 a directory's own policy decides whether an interrupted run continues", async (t) => {
  const configs = { [project]: { digest: "1", limits: { recovery: "settle" as const } } };
  const place = await openWorkspacePlace(t, { configs });
  await place.openStep("a");
  await place.first.crash();
  await place.open();
  assert.equal(await place.outcome("a"), "failed: interrupted");
});

test("M6 limits that prevent every start fail the run with a reason", async (t) => {
  const configs = { [project]: { digest: "1", limits: { maxSteps: 0 } } };
  const place = await openWorkspacePlace(t, { configs });
  await place.prompt("a");
  assert.equal(await place.outcome("a"), "failed: brokenWorkspace");
  assert.deepEqual(await (await place.world.closeAll()).ended, [], "no pin is left");
});
