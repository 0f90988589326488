import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, done, verdict } from "../support/world.ts";
import type { Session, World } from "../support/world.ts";

// Races of a cancel with trees of sessions (C7). A prompt is written as session/id.

interface Tree {
  readonly world: World;
  readonly session: (sessionId: string) => Session;
  /** The active run of the first session sends a prompt of this id to the second. */
  readonly send: (
    from: string,
    to: string,
    options?: { background?: boolean; arrives?: boolean },
  ) => void;
}

/** Session main has a run for prompt p; every other prompt is called after its session. */
function plant(): Tree {
  const world = createWorld();
  const session = (sessionId: string): Session =>
    sessionId === "main" ? world : world.session(sessionId);
  done(world.accept("p"));
  done(world.start("main-run"));
  return {
    world,
    session,
    send: (from, to, { background = true, arrives = true } = {}) => {
      const create = { contentHash: "created", directory: "/project" };
      const sender = session(from);
      done(sender.link({ sessionId: to, promptId: to }, { background, create }));
      if (!arrives) return;
      const parent = { sessionId: from, runId: sender.handle().runId, background };
      const child = session(to);
      done(child.accept(to, { parent }));
      done(child.start());
    },
  };
}

function names(children: readonly { sessionId: string; promptId: string }[] = []): string[] {
  return children.map(({ sessionId, promptId }) => `${sessionId}/${promptId}`).toSorted();
}

test("C7 a cancel with tree stops a grandchild in one commit, and its end starts no run", () => {
  const { world, session, send } = plant();
  send("main", "a");
  send("a", "b");
  const { receipt } = done(world.cancel("stop", { tree: true }));
  assert.deepEqual(names(receipt?.background), ["a/a", "b/b"]);
  assert.equal(session("b").run().condition.status, "stopping");
  for (const id of ["b", "a"]) done(session(id).end());
  assert.deepEqual(
    [session("b").row("b").outcome?.reason, session("a").row("a").outcome?.reason],
    ["parentCancel", "parentCancel"],
  );
  assert.deepEqual([session("a").queue(), world.queue()], [[], []]);
});

test("C7 a cancel with tree reaches the child of a settled child", () => {
  const { world, session, send } = plant();
  send("main", "a");
  send("a", "b");
  done(session("a").end());
  done(world.end());
  done(world.start());
  done(world.end());
  assert.deepEqual(
    world.state().branches.map(({ promptId }) => promptId),
    ["a"],
  );
  const { receipt } = done(world.cancel("stop", { tree: true }));
  assert.deepEqual(names(receipt?.background), ["b/b"]);
  done(session("b").end());
  assert.deepEqual([session("a").queue(), session("a").ready()], [[], null]);
  assert.deepEqual([world.state().branches, session("a").state().ancestors], [[], []]);
});

test("C7 a result that waits in a child's session belongs to the tree", () => {
  const { world, session, send } = plant();
  send("main", "a");
  send("a", "b");
  done(session("a").end());
  done(session("b").end());
  assert.deepEqual(session("a").queue(), ["result:b"]);
  const { receipt } = done(world.cancel("stop", { tree: true }));
  assert.deepEqual(names(receipt?.background), ["a/result:b"]);
  assert.equal(session("a").row("result:b").outcome?.reason, "parentCancel");
  assert.deepEqual(world.state().branches, []);
});

test("C7 a child started by a child's later run belongs to the tree", () => {
  const { world, session, send } = plant();
  send("main", "a");
  send("a", "b");
  done(session("a").end());
  done(session("b").end());
  done(session("a").start());
  send("a", "c");
  done(session("a").end());
  const { receipt } = done(world.cancel("stop", { tree: true }));
  assert.deepEqual(names(receipt?.background), ["c/c"]);
  done(session("c").end());
  assert.deepEqual([session("a").queue(), world.state().branches], [[], []]);
});

for (const [name, stopFirst] of Object.entries({
  "its own cancel": (child: Session) => child.cancel("own"),
  "its run time": (child: Session) => child.tick(20),
})) {
  test(`C7 after a cancel with tree, a child that stops for ${name} starts no run of its parent`, () => {
    const world = createWorld();
    done(world.accept("p"));
    done(world.start("main-run"));
    const create = { contentHash: "created", directory: "/project" };
    done(world.link({ sessionId: "a", promptId: "a" }, { background: true, create }));
    const child = world.session("a");
    const parent = { sessionId: "main", runId: "main-run", background: true };
    done(child.accept("a", { parent, maxRunTime: 10 }));
    done(child.start());
    done(stopFirst(child));
    assert.equal(child.run().condition.status, "stopping");
    done(world.cancel("stop", { tree: true }));
    done(child.end());
    done(world.end());
    assert.deepEqual([world.queue(), world.state().background], [[], []]);
    assert.equal(world.ready(), null);
  });
}

test("C7 a child whose failure is committed and that waits for its own child starts no run of its parent", () => {
  const { world, session, send } = plant();
  send("main", "a");
  send("a", "b", { background: false });
  done(session("a").end({ status: "failed", reason: "agentError" }));
  assert.equal(session("a").run().condition.status, "closing");
  const { receipt } = done(world.cancel("stop", { tree: true }));
  assert.deepEqual(names(receipt?.background), ["a/a", "b/b"]);
  done(session("b").end());
  assert.equal(session("a").row("a").outcome?.reason, "agentError");
  done(world.end());
  assert.deepEqual([world.queue(), world.ready()], [[], null]);
});

test("C7 the cancel mark survives a crash of the process that owns the child's run", () => {
  const { world, session, send } = plant();
  send("main", "a");
  done(session("a").cancel("own"));
  done(world.cancel("stop", { tree: true }));
  world.lose("node1");
  done(session("a").takeover());
  done(world.takeover());
  assert.equal(session("a").row("a").outcome?.reason, "sessionCancel");
  assert.deepEqual([world.queue(), world.ready()], [[], null]);
});

test("C7 a cancel with tree covers the background children of foreground children", () => {
  const { world, session, send } = plant();
  send("main", "f", { background: false });
  send("f", "g");
  const { receipt } = done(world.cancel("stop", { tree: true }));
  assert.deepEqual([names(receipt?.children), names(receipt?.background)], [["f/f"], ["g/g"]]);
  for (const id of ["g", "f"]) done(session(id).end());
  done(world.end());
  assert.deepEqual([session("f").queue(), world.queue()], [[], []]);
});

test("C7 a second cancel, with tree, reaches what the first one did not cover", () => {
  const { world, session, send } = plant();
  send("main", "f", { background: false });
  send("f", "g");
  const first = done(world.cancel("stop")).receipt;
  assert.deepEqual([names(first?.children), names(first?.background)], [["f/f"], ["g/g"]]);
  assert.equal(session("g").run().condition.status, "running");
  const second = done(world.cancel("all", { tree: true })).receipt;
  assert.deepEqual(names(second?.background), ["g/g"]);
  assert.equal(session("g").run().condition.status, "stopping");
});

test("C7 a second cancel, with tree, passes through a child that is already stopping", () => {
  const { world, session, send } = plant();
  send("main", "a", { background: false });
  send("a", "f", { background: false });
  send("f", "g");
  done(world.cancel("stop"));
  assert.equal(session("g").run().condition.status, "running");
  done(world.cancel("all", { tree: true }));
  assert.equal(session("g").run().condition.status, "stopping");
});

test("C7 a cancel with tree passes through a child whose end is committed", () => {
  const { world, session, send } = plant();
  send("main", "a");
  send("a", "f", { background: false });
  send("f", "g");
  done(session("a").end({ status: "failed", reason: "agentError" }));
  assert.equal(session("a").run().condition.status, "closing");
  done(world.cancel("stop", { tree: true }));
  assert.equal(session("g").run().condition.status, "stopping");
});

test("C7 without tree a cancel names descendants of all depths; they continue, and each result starts its parent", () => {
  const { world, session, send } = plant();
  send("main", "a");
  send("a", "b");
  send("a", "f", { background: false });
  const { receipt } = done(world.cancel("stop"));
  assert.deepEqual(names(receipt?.background), ["a/a", "b/b", "f/f"]);
  for (const id of ["f", "b", "a"]) done(session(id).end());
  done(world.end());
  assert.deepEqual([session("a").queue(), world.queue()], [["result:b"], ["result:a"]]);
});

test("C1 C7 a cancel with tree and upTo does not affect children of later prompts", () => {
  const { world, session, send } = plant();
  send("main", "a");
  done(world.end());
  const { acceptSeq } = world.row("p");
  done(world.accept("later"));
  done(world.start("later-run"));
  send("main", "b");
  const { receipt } = done(world.cancel("stop", { tree: true, upTo: acceptSeq }));
  assert.deepEqual([names(receipt?.background), receipt?.covered], [["a/a"], []]);
  assert.deepEqual(
    [session("b").run().condition.status, world.run().condition.status],
    ["running", "running"],
  );
});

test("C7 a grandchild that has not arrived is refused after a cancel with tree", () => {
  const { world, session, send } = plant();
  send("main", "a");
  send("a", "b", { arrives: false });
  const { receipt } = done(world.cancel("stop", { tree: true }));
  assert.deepEqual(names(receipt?.background), ["a/a", "b/b"]);
  const parent = { sessionId: "a", runId: session("a").handle().runId, background: true };
  assert.equal(verdict(session("b").accept("b", { parent })), "tombstoned");
});

test("C7 a descendant in the cancelled session's own queue starts no run", () => {
  const { world, session, send } = plant();
  send("main", "a");
  const runId = session("a").handle().runId;
  done(session("a").link({ sessionId: "main", promptId: "back" }, { background: true }));
  done(world.accept("back", { parent: { sessionId: "a", runId, background: true } }));
  const { receipt } = done(world.cancel("stop", { tree: true }));
  assert.deepEqual(names(receipt?.background), ["a/a", "main/back"]);
  done(session("a").end());
  assert.deepEqual([session("a").queue(), session("a").state().background], [[], []]);
});

for (const tree of [true, false]) {
  test(`C7 a receipt names a child of a descendant in its own session once, tree ${tree}`, () => {
    const { world, send } = plant();
    const runId = world.handle().runId;
    done(world.link({ sessionId: "main", promptId: "back" }, { background: true }));
    done(world.accept("back", { parent: { sessionId: "main", runId, background: true } }));
    done(world.end());
    done(world.start("second-run"));
    send("main", "a");
    const { receipt } = done(world.cancel("stop", { tree }));
    assert.deepEqual(names(receipt?.background), ["a/a", "main/back"]);
  });
}

test("C7 a later prompt to a covered session is not affected", () => {
  const { world, session, send } = plant();
  send("main", "a");
  done(session("a").accept("own"));
  done(world.cancel("stop", { tree: true }));
  done(session("a").end());
  assert.deepEqual([session("a").queue(), session("a").ready()], [["own"], "start"]);
});

test("M8 C7 a cancel with tree reaches the children of a deleted session", () => {
  const { world, session, send } = plant();
  send("main", "a");
  send("a", "b");
  done(session("a").send({ type: "session.delete" }));
  const { receipt } = done(world.cancel("stop", { tree: true }));
  assert.deepEqual(names(receipt?.background), ["b/b"]);
  done(session("b").end());
  assert.equal(session("b").row("b").outcome?.reason, "parentCancel");
  assert.deepEqual([session("a").state().background, world.state().branches], [[], []]);
});

test("P5 a tree with the maximum number of live prompts accepts no more", () => {
  const { world, session, send } = plant();
  send("main", "a");
  for (let count = 1; count < 256; count += 1) {
    const from = count % 2 === 0 ? "main" : "a";
    send(from, `b${count}`, { arrives: false });
  }
  const create = { contentHash: "created", directory: "/project" };
  const more = { sessionId: "more", promptId: "more" };
  for (const lane of [world, session("a")]) {
    assert.equal(verdict(lane.link(more, { background: true, create })), "treeFull");
  }
  done(world.cancel("stop", { tree: true }));
  done(session("a").end());
  done(world.end());
  done(world.accept("next"));
  done(world.start());
  done(world.link(more, { background: true, create }));
});

test("P5 a tree counts its own prompts, not those of another prompt in the same session", () => {
  const { world, session, send } = plant();
  send("main", "a");
  done(world.end());
  done(world.accept("later"));
  done(world.start("later-run"));
  send("main", "b");
  for (let count = 1; count < 256; count += 1) send("main", `c${count}`, { arrives: false });
  const create = { contentHash: "created", directory: "/project" };
  const more = { sessionId: "more", promptId: "more" };
  assert.equal(verdict(session("b").link(more, { background: true, create })), "treeFull");
  done(session("a").link(more, { background: true, create }));
});
