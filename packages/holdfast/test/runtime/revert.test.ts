import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { applyRevert } from "../../src/runtime/revert/revert.ts";
import type { RevertPlan } from "../../src/runtime/revert/revert.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { openWorld } from "./support/changing-agent.ts";
import type { World } from "./support/changing-agent.ts";

/** A short form of the plan: the name of each file, and the reason if it cannot be reverted. */
function gist(world: World, plan: RevertPlan): [name: string, conflict: string | null][] {
  return plan.files.map(({ path, conflict }) => [path.slice(world.folder.length + 1), conflict]);
}

test("M8 only the named files are undone, and a path outside of the plan undoes nothing", async (t) => {
  const world = await openWorld(t);
  const { holdfast, path } = world;
  for (const name of ["a", "b"]) writeFileSync(path(name), "old");
  const runId = await world.run([
    { read: "a" },
    { read: "b" },
    { change: "a", to: "new" },
    { change: "b", to: "new" },
  ]);
  writeFileSync(path("other"), "keep");
  const actor = { kind: "client", id: "ann" } as const;
  const target = { sessionId: "main", runId, actor };
  await holdfast.revert({ ...target, workId: "none", files: [path("other"), "/etc/passwd"] });
  assert.deepEqual(
    [world.content("a"), world.content("b"), world.content("other")],
    ["new", "new", "keep"],
  );
  const work = await holdfast.revert({ ...target, workId: "one", files: [path("b")] });
  assert.deepEqual(work.result?.status, "completed");
  assert.deepEqual([world.content("a"), world.content("b")], ["new", "old"]);
});

test("a revert restores edited, new and binary files to their content before the run", async (t) => {
  const world = await openWorld(t);
  writeFileSync(world.path("a.txt"), "one\n");
  writeFileSync(world.path("same.txt"), "same\n");
  writeFileSync(world.path("b.bin"), Buffer.from([0, 255, 1]));
  const runId = await world.run([
    { change: "a.txt", to: "two\n" },
    { change: "a.txt", to: "three\n" },
    { change: "new.txt", to: "new\n" },
    { change: "b.bin", to: Buffer.from([0, 2]) },
    { change: "same.txt", to: "never\n", fails: true },
    { run: "npm test" },
  ]);
  const plan = await world.plan(runId);
  assert.deepEqual(
    plan.files.map(({ path, conflict, diff }) => [
      path.slice(world.folder.length + 1),
      conflict,
      diff,
    ]),
    [
      ["a.txt", null, "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-three\n+one\n"],
      ["new.txt", null, "removes new.txt, which the run made"],
      ["b.bin", null, "puts back the 3 bytes of b.bin, which is no text"],
    ],
  );
  assert.deepEqual([plan.unknown, plan.background], [["run npm test"], []]);
  const { done, problem } = await applyRevert(plan.files);
  assert.deepEqual([done.length, problem], [3, null]);
  assert.deepEqual(
    [world.content("a.txt"), world.content("new.txt"), readFileSync(world.path("b.bin"))],
    ["one\n", null, Buffer.from([0, 255, 1])],
  );
  assert.deepEqual((await world.plan(runId)).files, []);
});

test("a change by another program blocks a revert, even if the run has read it afterwards", async (t) => {
  const world = await openWorld(t);
  for (const name of ["since", "read", "during", "gone", "folder", "fine"]) {
    writeFileSync(world.path(name), "one\n");
  }
  const runId = await world.run([
    { change: "since", to: "two\n" },
    { change: "read", to: "two\n" },
    { meanwhile: () => writeFileSync(world.path("read"), "theirs\n") },
    { read: "read" },
    { change: "during", to: "two\n" },
    { meanwhile: () => writeFileSync(world.path("during"), "theirs\n") },
    { change: "during", to: "three\n" },
    { change: "gone", to: "two\n" },
    { change: "folder", to: "two\n" },
    { change: "fine", to: "two\n" },
  ]);
  writeFileSync(world.path("since"), "theirs\n");
  unlinkSync(world.path("gone"));
  unlinkSync(world.path("folder"));
  mkdirSync(world.path("folder"));
  assert.deepEqual(gist(world, await world.plan(runId)), [
    ["since", "the file was changed after the run"],
    ["read", "the file was changed after the run"],
    ["during", "something else, such as a command, also changed the file during the run"],
    ["gone", "the file was changed after the run"],
    ["folder", "it is a folder, not a file"],
    ["fine", null],
  ]);
});

test("a revert stops at a file that changed after the plan, and does not change the file", async (t) => {
  const world = await openWorld(t);
  for (const name of ["a", "b", "c"]) writeFileSync(world.path(name), "one\n");
  const runId = await world.run([
    { change: "a", to: "two\n" },
    { change: "b", to: "two\n" },
    { change: "c", to: "two\n" },
    { change: "d", to: "made\n" },
  ]);
  const { files } = await world.plan(runId);
  writeFileSync(world.path("b"), "theirs\n");
  const { done, problem } = await applyRevert(files);
  assert.deepEqual([done, problem?.path], [[world.path("a")], world.path("b")]);
  writeFileSync(world.path("d"), "theirs too\n");
  const made = await applyRevert(files.filter(({ path }) => path === world.path("d")));
  assert.equal(
    made.problem?.message,
    "the file was changed after the undo was planned; start the undo again",
  );
  assert.deepEqual(
    ["a", "b", "c", "d"].map((name) => world.content(name)),
    ["one\n", "theirs\n", "two\n", "theirs too\n"],
  );
});

test("a revert includes changes of children that the run waited for, but not of other runs", async (t) => {
  const world = await openWorld(t);
  writeFileSync(world.path("a"), "one\n");
  await world.run([{ change: "earlier", to: "x\n" }]);
  const runId = await world.run([
    { change: "a", to: "two\n" },
    { child: [{ change: "a", to: "three\n" }, { child: [{ change: "deep", to: "x\n" }] }] },
    { change: "a", to: "four\n" },
  ]);
  const plan = await world.plan(runId);
  assert.deepEqual(gist(world, plan), [
    ["a", null],
    ["deep", null],
  ]);
  await applyRevert(plan.files);
  assert.deepEqual(
    ["a", "deep", "earlier"].map((name) => world.content(name)),
    ["one\n", null, "x\n"],
  );
});

test("M8 a revert is an exclusive operation: it waits for the run, and the next prompt is informed", async (t) => {
  const world = await openWorld(t);
  const { holdfast } = world;
  const sessionId = "main";
  writeFileSync(world.path("a"), "one\n");
  const runId = await world.run([{ change: "a", to: "two\n" }, { run: "npm test" }]);
  await holdfast.placeHold({ sessionId, holdId: "h", reason: "let both wait" });
  const actor = { kind: "client", id: "anna" } as const;
  const reverting = holdfast.revert({ sessionId, runId, workId: "w1", actor });
  for await (const { type } of holdfast.events({ sessionId })) if (type === "work.queued") break;
  const { promptId } = await holdfast.prompt({ sessionId, text: "job none" });
  await holdfast.releaseHold({ sessionId, holdId: "h" });
  const work = await reverting;
  assert.deepEqual(
    [work.cause, work.result, work.actor, world.content("a")],
    [
      "done",
      { status: "completed", value: { runId, done: ["a"], problem: null, left: [] } },
      actor,
      "one\n",
    ],
  );
  await holdfast.wait({ sessionId, promptId });
  const page = await holdfast.messages({ sessionId, after: null, limit: 50 });
  const prompts = (page?.messages ?? []).filter((message) => message.role === "user");
  assert.deepEqual(
    prompts.map(({ reply, text, actor: by }) => [reply, text, by.id]),
    [
      [true, "job 1", "local"],
      [
        false,
        `The changes of run ${runId} to these files were undone by the user: a. The files have ` +
          "their content from before that run, unless the undo was interrupted. Changes that commands " +
          "made in other ways were not undone. Read the files again before you change them.",
        "anna",
      ],
      [true, "job none", "local"],
    ],
  );
  const again = await holdfast.revert({ sessionId, runId, workId: "w1", actor });
  assert.deepEqual(again, work, "the same id is the same revert");
});

test("M8 a message of a revert reaches the model even if the queue is cleared meanwhile", async (t) => {
  const file = join(realpathSync(mkdtempSync(join(tmpdir(), "holdfast-revert-"))), "a");
  const inner = await openSqliteStore({ file: `${file}.db` });
  // Somebody clears the queue and stops the session right after the first message of the revert.
  const store: Store = {
    ...inner,
    execute: async (request) => {
      const answer = await inner.execute(request);
      const { command } = request;
      if (command.type !== "prompt.accept" || command.reply) return answer;
      for (const scope of [
        { kind: "queue" },
        { kind: "session", upTo: null, tree: false },
      ] as const) {
        const cancel = { type: "cancel", cancelId: scope.kind, scope, reason: null } as const;
        await inner.execute({ command: { ...cancel, sessionId: "main", actor: command.actor } });
      }
      return answer;
    },
  };
  const world = await openWorld(t, store);
  t.after(async () => {
    await inner.close();
    rmSync(dirname(file), { recursive: true });
  });
  const { holdfast } = world;
  writeFileSync(world.path("a"), "one\n");
  const runId = await world.run([{ change: "a", to: "two\n" }]);
  await holdfast.revert({ sessionId: "main", runId });
  const page = await holdfast.messages({ sessionId: "main", after: null, limit: 50 });
  const told = (page?.messages ?? []).flatMap((message) =>
    message.role === "user" && !message.reply ? [message] : [],
  );
  assert.deepEqual(
    told.map(({ entered, outcome }) => [entered, outcome?.status]),
    told.map(() => [true, "completed"]),
  );
  assert.match(
    told[0]?.text ?? "",
    /^The changes of run \S+ to these files were undone by the user: a\./,
  );
  // The stop may have come before or after the file was restored.
  const isUndone = world.content("a") === "one\n";
  assert.equal(
    told[1]?.text.includes("None of them was undone; not undone: a."),
    isUndone ? undefined : true,
  );
});

test("a revert does not change files that others have changed, unless overwriting is requested", async (t) => {
  const world = await openWorld(t);
  const { holdfast } = world;
  const sessionId = "main";
  for (const name of ["a", "b"]) writeFileSync(world.path(name), "one\n");
  const runId = await world.run([
    { change: "a", to: "two\n" },
    { change: "b", to: "two\n" },
  ]);
  writeFileSync(world.path("b"), "theirs\n");
  const { result } = await holdfast.revert({ sessionId, runId });
  assert.deepEqual(
    [result, world.content("a")],
    [
      { status: "failed", code: "changedSince", message: "b: the file was changed after the run" },
      "two\n",
    ],
  );
  const events = await holdfast.store.events(sessionId, { after: 0, limit: 100 });
  const accepted = events.filter(({ type }) => type === "prompt.accepted");
  assert.equal(accepted.length, 1, "nothing was undone, so nothing is told");
  const forced = await holdfast.revert({ sessionId, runId, overwrite: true });
  assert.deepEqual(
    [forced.result?.status, world.content("a"), world.content("b")],
    ["completed", "one\n", "one\n"],
  );
  const nothing = await holdfast.revert({ sessionId, runId });
  assert.deepEqual(nothing.result, {
    status: "completed",
    value: { runId, done: [], problem: null, left: [] },
  });
  await assert.rejects(holdfast.revert({ sessionId, runId: "nobody" }), {
    name: "CommandRefused",
    message: "session main has no run nobody",
  });
  await assert.rejects(holdfast.planRevert({ sessionId: "nobody", runId }), {
    name: "CommandRefused",
  });
});
