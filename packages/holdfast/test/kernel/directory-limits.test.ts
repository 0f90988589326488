import assert from "node:assert/strict";
import { test } from "node:test";
import { packState, unpackState } from "../../src/kernel/packed.ts";
import { bounds } from "../../src/kernel/validate.ts";
import { checkHistory } from "./support/check-history.ts";
import * as make from "./support/commands.ts";
import { copyStore } from "./support/memory-store.ts";
import { createWorld, done, verdict, withoutEnvelope } from "./support/world.ts";
import type { World } from "./support/world.ts";

// A run has the directory limit of the sender of its prompt. Session main works in /project.

const limited = { directories: ["/project"] } as const;
const wider = { directories: ["/project", "/other"] } as const;
const steer = { delivery: "steer" } as const;

/** A run of an unlimited sender, or of a limited one. */
function running(fields: Parameters<typeof make.accept>[1] = {}): World {
  const world = createWorld();
  done(world.accept("first", fields));
  done(world.start("run1"));
  done(world.boundary());
  return world;
}

test("a prompt and its run have the limit of the sender, in the log and in the stored state", () => {
  const world = createWorld();
  const { events } = done(world.accept("p1", limited));
  assert.deepEqual(events.map(withoutEnvelope)[0]?.["directories"], ["/project"]);
  assert.deepEqual(unpackState(packState(world.state())), world.state());
  done(world.start("run1"));
  assert.deepEqual(world.run().directories, ["/project"]);
  assert.deepEqual(unpackState(packState(world.state())), world.state());
  assert.deepEqual(checkHistory(world.events()), []);
});

test("a prompt of an unlimited sender, or of an older program, has no limit", () => {
  const world = createWorld();
  const given = [{}, { directories: null }];
  for (const [index, fields] of given.entries()) {
    const { events } = done(world.accept(`p${index}`, fields));
    assert.ok(events.every((event) => !("directories" in event)));
  }
  done(world.start("run1"));
  assert.equal(world.run().directories, null);
  const { active, ...rest } = packState(world.state());
  assert(active?.kind === "run" && !("directories" in active));
  assert.equal(unpackState({ ...rest, active }).active?.kind, "run");
});

test("a session outside of the sender's limit accepts no prompt, and nothing is written", () => {
  const world = createWorld();
  const before = copyStore(world.store);
  for (const directories of [["/other"], ["/project/below"], ["/projects"], []]) {
    assert.equal(verdict(world.accept("p1", { directories })), "forbidden");
  }
  assert.deepEqual(world.store, before);
  // A repeated prompt is the same prompt, even if the limit has changed (P3).
  done(world.accept("p1", limited));
  assert.equal(verdict(world.accept("p1", { directories: ["/other"] })), "done");
});

test("P5 a limit is a list of texts, of at most a hundred", () => {
  const world = createWorld();
  const folders = Array.from({ length: bounds.directories + 1 }, (_, index) => `/project/${index}`);
  for (const directories of [folders, [""], ["/project", "x".repeat(4097)]]) {
    assert.equal(verdict(world.accept("p1", { directories })), "invalid");
  }
  done(world.accept("p1", { directories: ["/project", ...folders.slice(2)] }));
  assert.equal(verdict(world.send(make.edit("p1", { directories: [""] }))), "invalid");
});

test("L6 a steer whose limit differs from the run's waits as an ordinary prompt", () => {
  for (const [own, others] of [
    [{}, limited],
    [limited, {}],
    [limited, wider],
    [wider, limited],
  ]) {
    const world = running(own);
    done(world.accept("s1", { ...steer, ...others }));
    const [waiting] = world.state().queue;
    assert(waiting?.kind === "prompt");
    assert.equal(waiting.binding, null);
    done(world.answer());
    done(world.end());
    assert.deepEqual([world.state().active, world.queue()], [null, ["s1"]]);
    done(world.start("run2"));
    assert.deepEqual(world.run().directories, others?.directories ?? null);
    assert.deepEqual(checkHistory(world.events()), []);
  }
});

test("L6 a steer with the same limit joins the run, whatever the order of its directories", () => {
  const world = running(wider);
  done(world.accept("s1", { ...steer, directories: ["/other", "/project"] }));
  done(world.answer());
  done(world.end());
  assert.deepEqual(
    world.run().prompts.map(({ promptId }) => promptId),
    ["first", "s1"],
  );
});

test("L6 a steer that names a run with another limit is refused", () => {
  const world = running();
  const answer = world.accept("s1", { ...steer, ...limited, expectedRunId: "run1" });
  assert(answer.status === "refused" && answer.refusal.code === "runMismatch");
  assert.equal(answer.refusal.activeRunId, "run1");
  assert.match(answer.refusal.message, /has another directory limit; send the prompt without/);
  done(world.accept("s2", { ...steer, expectedRunId: "run1" }));
});

test("P7 a message with another limit joins no run, and keeps its place before other messages", () => {
  const world = running();
  const message = { reply: false } as const;
  done(world.accept("m1", { ...message, ...limited }));
  done(world.accept("m2", message));
  done(world.boundary());
  assert.deepEqual(world.queue(), ["m1", "m2"]);
  done(world.answer());
  done(world.end());
  assert.deepEqual(world.queue(), []);
  assert.equal(world.row("m1").outcome?.status, "completed");
  assert.deepEqual(checkHistory(world.events()), []);
});

test("a prompt that another sender edits runs with the directories that both may use", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.accept("p2", wider));
  done(world.accept("p3", limited));
  done(world.send(make.edit("p1", limited)));
  done(world.send(make.edit("p2", { directories: ["/project/below", "/project", "/elsewhere"] })));
  done(world.send(make.edit("p3", {})));
  const limits = world
    .state()
    .queue.map((item) => (item.kind === "prompt" ? item.directories : "none"));
  assert.deepEqual(limits, [["/project"], ["/project", "/project/below"], ["/project"]]);
  const edited = world.events().filter(({ type }) => type === "prompt.edited");
  assert.deepEqual(
    edited.map((event) => "directories" in event),
    [true, true, false],
  );
  done(world.start("run1"));
  assert.deepEqual(world.run().directories, ["/project"]);
});

test("L6 a steer whose limit an edit has narrowed waits as an ordinary prompt", () => {
  const world = running();
  done(world.accept("s1", { ...steer, expectedRunId: "run1" }));
  done(world.accept("s2", steer));
  done(world.send(make.edit("s1", limited)));
  done(world.send(make.edit("s2", {})));
  done(world.answer());
  done(world.end());
  assert.deepEqual(
    [world.run().prompts.map(({ promptId }) => promptId), world.queue()],
    [["first", "s2"], ["s1"]],
  );
  assert.deepEqual(checkHistory(world.events()), []);
});

test("R4 only a user who may reach the run's directories can answer its ask", () => {
  const world = running(wider);
  world.answer(["call"]);
  done(world.ask("ask1", { callId: "call" }));
  const answer = (directories?: readonly string[]) =>
    world.send({
      type: "ask.answer",
      askId: "ask1",
      verdict: "allow",
      body: null,
      ...(directories && { directories }),
    });
  const before = copyStore(world.store);
  assert.equal(verdict(answer(["/project"])), "forbidden");
  assert.equal(verdict(answer([""])), "invalid");
  assert.deepEqual(world.store, before);
  done(answer(["/other", "/project", "/more"]));

  const owned = running();
  done(owned.ask("ask1"));
  const by = { type: "ask.answer", askId: "ask1", verdict: "deny", body: null } as const;
  assert.equal(verdict(owned.send({ ...by, directories: ["/"] })), "forbidden");
  assert.equal(verdict(owned.send(by)), "done");
});

function create(directory: string): { contentHash: string; directory: string } {
  return { contentHash: "c", directory };
}

test("C7 a limited run can neither create nor prompt a child session outside of its limit", () => {
  const world = running(limited);
  const child = { sessionId: "child", promptId: "k" };
  const before = copyStore(world.store);
  for (const background of [true, false]) {
    const away = { background, create: create("/elsewhere") };
    assert.equal(verdict(world.link(child, away)), "forbidden");
  }
  assert.deepEqual(world.store, before);
  done(world.session("elsewhere").create({ directory: "/elsewhere" }));
  // The options for creating a session are ignored if the session exists.
  const there = { sessionId: "elsewhere", promptId: "k" };
  assert.equal(verdict(world.link(there, { create: create("/project") })), "forbidden");
  assert.equal(verdict(world.link(there)), "forbidden");
  assert.equal(verdict(world.link(child, { create: create("/project/below") })), "done");

  const owner = running();
  assert.equal(verdict(owner.link(child, { create: create("/elsewhere") })), "done");
});

test("C7 the run that a background child's result starts has the child's limit", () => {
  const world = running(limited);
  const child = world.session("child");
  done(
    world.link(
      { sessionId: "child", promptId: "k" },
      { background: true, create: { contentHash: "c", directory: "/project" } },
    ),
  );
  const parent = { sessionId: "main", runId: "run1", background: true };
  done(child.accept("k", { parent, ...limited }));
  done(world.answer());
  done(world.end());
  done(child.start("run2"));
  done(child.boundary());
  done(child.answer());
  done(child.end());
  assert.deepEqual(world.queue(), ["result:k"]);
  done(world.start("run3"));
  assert.deepEqual(world.run().directories, ["/project"]);
});
