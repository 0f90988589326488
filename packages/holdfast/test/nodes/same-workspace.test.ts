import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestContext } from "node:test";
import type { Node } from "../runner/support/place.ts";
import type { Puppet } from "../runner/support/puppets.ts";
import { config, openWorkspacePlace, project } from "../runner/support/workspace-place.ts";
import type { WorkspacePlace } from "../runner/support/workspace-place.ts";
import { sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { openWorld } from "../workspace/support/world.ts";

// M7 between nodes on one PostgreSQL: each has loaded the project by itself.

let server: SharedPostgres;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

const job = { sessionId: "child", promptId: "job", text: "help" };

interface Pair {
  readonly place: WorkspacePlace;
  /** On the first node. */
  readonly parent: Puppet;
  readonly second: Node;
  /** Releases the first node's start of the child's prompt, which is held back until then. */
  readonly release: () => void;
  /** Resolves when the second node was refused the start of the child's prompt. */
  readonly refused: Promise<void>;
}

/** Opens two nodes. The first has loaded config 1 of the project, the second has loaded `secondConfig`. */
async function openPair(
  t: TestContext,
  options: { secondConfig: number; firstLease?: number },
): Promise<Pair> {
  const { secondConfig, firstLease: leaseTtl = 10_000 } = options;
  const url = await server.createDatabase();
  const place = await openWorkspacePlace(t, { url, leaseTtl });
  const parent = await place.openStep("a");
  await parent.answer("asking for help");
  const { host } = openWorld(t, { [project]: config(secondConfig) });
  const second = await place.open({ workspaces: host, leaseTtl: 10_000 });
  const { release } = await place.first.holdBack("run.start");
  const refused = Promise.withResolvers<void>();
  await second.interfere(async ({ command }, execute) => {
    const answer = await execute();
    const isLeft = answer.status === "refused" && answer.refusal.code === "generation";
    if (isLeft && command.sessionId === "child") refused.resolve();
    return answer;
  });
  return { place, parent, second, release, refused: refused.promise };
}

function contentOf({ context }: Puppet): string {
  return context.workspace.generation.replace(/^\d+\./, "");
}

test("M7 L3 a node with another config leaves a child to its parent's node, which finds it without signals", async (t) => {
  const { place, parent, release, refused } = await openPair(t, { secondConfig: 2 });
  await place.first.dropSignals();
  const helped = parent.context.child(job);
  await refused;
  release();
  const child = await place.puppets.next("child");
  assert.deepEqual([child.agent, contentOf(child)], [place.first.name, contentOf(parent)]);
  await child.finish("found it");
  assert.equal((await helped).text, "found it");
  await parent.finish();
  assert.equal(await place.outcome("a"), "completed");
});

test("M7 a node with the same config starts a child of another node's run", async (t) => {
  const { place, parent, second, release } = await openPair(t, { secondConfig: 1 });
  const helped = parent.context.child(job);
  const child = await place.puppets.next("child");
  assert.deepEqual([child.agent, contentOf(child)], [second.name, contentOf(parent)]);
  release();
  await child.finish("found it");
  assert.equal((await helped).text, "found it");
  await parent.finish();
  assert.equal(await place.outcome("a"), "completed");
});

test("M7 a child whose parent's node is lost waits for the parent's next attempt and gets its config", async (t) => {
  const { place, parent, second, release, refused } = await openPair(t, {
    secondConfig: 2,
    firstLease: 3_000,
  });
  await parent.context.background(job);
  await refused;
  const crashed = place.first.crash();
  release();
  await crashed;
  const resumed = await place.puppets.next();
  const child = await place.puppets.next("child");
  assert.deepEqual([resumed.agent, child.agent], [second.name, second.name]);
  assert.notEqual(contentOf(resumed), contentOf(parent));
  assert.equal(contentOf(child), contentOf(resumed));
  await child.finish();
  await resumed.finish();
  await (await place.puppets.next()).finish();
  assert.equal(await place.outcome("a"), "completed");
});

test("M7 a child whose parent has ended starts on any node, with the newest config there", async (t) => {
  const { place, parent, second, release, refused } = await openPair(t, { secondConfig: 2 });
  await parent.context.background(job);
  await refused;
  await parent.finish();
  assert.equal(await place.outcome("a"), "completed");
  const child = await place.puppets.next("child");
  release();
  assert.equal(child.agent, second.name);
  assert.notEqual(contentOf(child), contentOf(parent));
  await child.finish();
  await (await place.puppets.next()).finish();
});
