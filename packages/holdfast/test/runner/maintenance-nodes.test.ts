import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import type { PinningRun } from "../../src/kernel/maintenance.ts";
import { sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { openWorld } from "../workspace/support/world.ts";
import { soakMaintenance } from "./soak/maintenance.ts";
import type { Node } from "./support/place.ts";
import type { Puppet } from "./support/puppets.ts";
import {
  answered,
  config,
  follow,
  generationOf,
  openWorkspacePlace,
  pinned,
  project,
  waitingFor,
} from "./support/workspace-place.ts";
import type { WorkspacePlace } from "./support/workspace-place.ts";

// One action on several nodes: each node has a part, and the action ends when each part has ended or its node is
// gone.

let server: SharedPostgres;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

const refresh = { kind: "refresh", directories: [project], actionId: "act" } as const;

test("M3 an action on two nodes waits for the runs of both, and each reports its end once", async (t) => {
  const { place, first, second, runs } = await openTwo(t);
  const told = [first, second].map((node) => follow(node.holdfast.maintenance).told);
  const [near, far] = runs;
  const answer = await first.holdfast.maintenance.request(refresh);
  const order = first.name === near.agent ? [near, far] : [far, near];
  assert.deepEqual(answer, { ...answered("act", order), waitingFor: answer.waitingFor });
  // The request does not wait for a node that takes long to report its runs.
  const waiting = async (): Promise<readonly PinningRun[]> => {
    const action = await first.holdfast.maintenance.get("act");
    return action === null ? [] : waitingFor(action);
  };
  await waitFor(waiting, { describe: "two waiting runs", until: (runs) => runs.length === 2 });
  assert.deepEqual(new Set(await waiting()), new Set(order.map(pinned)));
  await near.finish();
  await waitFor(() => second.holdfast.maintenance.get("act"), {
    describe: "a part that is done",
    until: (half) => half?.parts.some(({ status }) => status === "done") ?? false,
  });
  assert.equal((await second.holdfast.maintenance.get("act"))?.status, "deferred");
  await far.finish();
  const ends = await Promise.all(
    [first, second].map((node) => node.holdfast.maintenance.wait({ actionId: "act" })),
  );
  assert.deepEqual(
    ends.map((end) => end?.status),
    ["completed", "completed"],
  );
  // A wait may end before the node calls its listeners.
  await waitFor(() => told, {
    describe: "both nodes to report the end",
    until: (nodes) => nodes.every((lines) => lines.includes("act completed")),
  });
  assert.deepEqual(
    told.map((lines) => lines.filter((line) => !line.includes("deferred"))),
    told.map(() => ["act requested", "act completed"]),
  );
  const next = await Promise.all([start(place, "main", "b"), start(place, "far", "c")]);
  assert.deepEqual(next.map(generationOf), ["2", "2"]);
});

test("M3 R1 a node that dies does not block an action, and its run continues elsewhere", async (t) => {
  const { place, first, second, runs } = await openTwo(t, { leaseTtl: 2_000 });
  const [near, far] = runs;
  const [survivor, victim] = near.agent === first.name ? [near, far] : [far, near];
  const { maintenance } = first.holdfast;
  await maintenance.request(refresh);
  await survivor.finish();
  await second.crash();
  const action = await maintenance.wait({ actionId: "act" });
  assert.deepEqual(
    [action?.status, action?.parts.map(({ status }) => status).toSorted()],
    ["completed", ["done", "lost"]],
  );
  const { sessionId } = victim.context;
  const resumed = await place.puppets.next(sessionId);
  assert.equal(generationOf(resumed), "2");
  await resumed.finish();
  const [promptId] = resumed.context.prompts.map((prompt) => prompt.promptId);
  assert.equal(await place.outcome(promptId ?? "", sessionId), "completed");
});

test("M3 M5 a force reaches the runs of every node, and any node can force an action", async (t) => {
  const { place, first, second, runs } = await openTwo(t);
  await first.holdfast.maintenance.request(refresh);
  await second.holdfast.maintenance.force({ actionId: "act" });
  for (const run of runs) {
    await run.stopped;
    run.end();
  }
  const action = await first.holdfast.maintenance.wait({ actionId: "act" });
  assert.deepEqual([action?.status, action?.mode], ["completed", "force"]);
  assert.deepEqual(
    [await place.outcome("a"), await place.outcome("f", "far")],
    ["cancelled: force", "cancelled: force"],
  );
});

test("M1 M3 M5 nodes are killed during refreshes, closes and forces: every action and every prompt ends once", async (t) => {
  const seed = Math.floor(Math.random() * 1_000_000);
  const url = await server.createDatabase();
  const { problems, ...counts } = await soakMaintenance({ url, seed, steps: 30 });
  t.diagnostic(`seed ${seed}: ${JSON.stringify(counts)}`);
  assert.deepEqual(problems, [], `seed ${seed}`);
});

interface Two {
  readonly place: WorkspacePlace;
  readonly first: Node;
  readonly second: Node;
  /** One run on each node, because each node has one slot. The config has changed since they started. */
  readonly runs: readonly [Puppet, Puppet];
}

async function openTwo(t: TestContext, settings: { leaseTtl?: number } = {}): Promise<Two> {
  const url = await server.createDatabase();
  const place = await openWorkspacePlace(t, { ...settings, url, maxRuns: 1 });
  const { world, first } = place;
  const other = openWorld(t, { [project]: config(1) });
  const second = await place.open({ workspaces: other.host });
  await first.holdfast.createSession({ sessionId: "far", directory: project });
  const near = await start(place, "main", "a");
  const far = await start(place, "far", "f");
  assert.notEqual(near.agent, far.agent);
  for (const each of [world, other]) each.configure(project, config(2));
  return { place, first, second, runs: [near, far] };
}

async function start(place: WorkspacePlace, sessionId: string, promptId: string): Promise<Puppet> {
  await place.first.holdfast.prompt({ sessionId, promptId, text: "go" });
  return place.puppets.next(sessionId);
}
