import assert from "node:assert/strict";
import { test } from "node:test";
import * as make from "./support/commands.ts";
import { transactAll } from "./support/memory-store.ts";
import { createWorld, done, person, verdict } from "./support/world.ts";
import type { Session, World } from "./support/world.ts";

// M7 on several nodes: `node1` and `node2` have loaded the same directory, each with its own content.

const mine = { owner: "node1", generation: "7.same" };
const same = { owner: "node2", generation: "3.same" };
const other = { owner: "node2", generation: "8.other" };

interface Family {
  readonly world: World;
  readonly child: Session;
}

/** Run r1 on node1, whose child's prompt waits for its start. */
function openFamily(
  options: { background?: boolean; directory?: string; generation?: string | null } = {},
): Family {
  const { background = false, directory = "/project", generation = mine.generation } = options;
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1", { ...mine, generation }));
  const create = { contentHash: "created", directory };
  done(world.link({ sessionId: "child", promptId: "k" }, { background, create }));
  const child = world.session("child");
  done(child.accept("k", { parent: { sessionId: "main", runId: "r1", background } }));
  return { world, child };
}

for (const background of [false, true]) {
  const kind = background ? "background" : "foreground";
  test(`M7 a ${kind} child starts on another node only with its parent's config content`, () => {
    for (const [fields, expected] of [
      [mine, "done"],
      [same, "done"],
      [other, "generation"],
      [{ ...other, generation: null }, "generation"],
    ] as const) {
      const { child } = openFamily({ background });
      assert.equal(verdict(child.start("r2", fields)), expected);
      assert.equal(child.ready(), expected === "done" ? null : "start");
    }
  });

  test(`M7 if the parent's node is lost, a ${kind} child waits for the parent's next attempt`, () => {
    const { world, child } = openFamily({ background });
    world.lose("node1");
    assert.equal(verdict(child.start("r2", same)), "generation");
    assert.equal(verdict(child.start("r2", other)), "generation");
    done(world.takeover({ owner: "node2", generation: other.generation }));
    assert.equal(verdict(child.start("r2", same)), "generation");
    assert.equal(verdict(child.start("r2", other)), "done");
  });

  test(`M7 a ${kind} child starts in the batch in which its parent is taken over`, () => {
    const { world } = openFamily({ background });
    world.lose("node1");
    const takeover = { sessionId: "main", ...make.takeover(other) };
    const start = { sessionId: "child", ...make.startRun("r2", other) };
    const { now } = world.clock;
    const commands = [takeover, start].map((data) => ({ actor: person, at: now, ...data }));
    assert.deepEqual(transactAll(world.store, commands).map(verdict), ["done", "done"]);
  });

  test(`M7 if the parent is handed over, a ${kind} child waits for the parent's next attempt`, () => {
    const { world, child } = openFamily({ background });
    done(world.handOver());
    assert.equal(verdict(child.start("r2", same)), "generation");
    done(world.takeover({ owner: "node2", generation: other.generation }));
    assert.equal(verdict(child.start("r2", other)), "done");
  });
}

test("M7 a child of a parent that has ended starts with any config content", () => {
  const { world, child } = openFamily({ background: true });
  done(world.end());
  assert.equal(verdict(child.start("r2", other)), "done");
});

test("M7 L3 a child of a parent that waits for a person starts with any config content", () => {
  const { world, child } = openFamily({ background: true });
  world.lose("node1");
  done(world.takeover({ ...other, recovery: "hold" }));
  assert.equal(verdict(child.start("r2", other)), "done");
});

test("M7 L3 a child of a stopping parent whose node is lost starts with any config content", () => {
  const { world, child } = openFamily({ background: true });
  done(world.cancel("c1"));
  assert.equal(verdict(child.start("r2", other)), "generation");
  world.lose("node1");
  assert.equal(verdict(child.start("r2", other)), "done");
});

test("M7 a child in another directory, or of a parent without known config content, starts with any", () => {
  for (const options of [
    { directory: "/elsewhere" },
    { generation: null },
    { generation: "constant" },
  ]) {
    const { child } = openFamily(options);
    assert.equal(verdict(child.start("r2", other)), "done");
  }
});

test("M7 only the prompt that starts counts: another prompt before the child's may use any config content", () => {
  const { child } = openFamily();
  done(child.accept("own"));
  done(child.send({ type: "prompt.move", promptId: "own", before: "k" }));
  assert.equal(verdict(child.start("r2", other)), "done");
  assert.equal(child.run().startedBy, "own");
});

test("M7 P6 a prompt before the child's that has expired is settled, and the child is not started", () => {
  const { world, child } = openFamily();
  done(child.accept("own", { expiresAt: world.clock.now + 10 }));
  done(child.send({ type: "prompt.move", promptId: "own", before: "k" }));
  world.clock.now += 10;
  const { events } = done(child.start("r2", other));
  assert.deepEqual(
    events.map(({ type }) => type),
    ["prompt.settled"],
  );
  assert.equal(verdict(child.start("r2", other)), "generation");
});

test("M7 a child that had started is resumed with any config content", () => {
  const { world, child } = openFamily();
  done(child.start("r2", mine));
  world.lose("node1");
  assert.equal(verdict(child.takeover({ ...other, recovery: "resume" })), "done");
});
