import assert from "node:assert/strict";
import { lstatSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { listChanges, showChange } from "../../src/runtime/changes/changes.ts";
import type { Changes } from "../../src/runtime/changes/changes.ts";
import { commandFiles } from "../../src/runtime/changes/command-files.ts";
import { waitFor } from "../support/wait-for.ts";
import { openWorld } from "./support/changing-agent.ts";
import type { World } from "./support/changing-agent.ts";

async function changesOf(world: World, runId: string | null = null): Promise<Changes> {
  return listChanges(world.holdfast.store, { sessionId: "main", runId });
}

/** A short form of the list: name, status, and the counts of lines. */
function gist({ folder }: World, { files }: Changes): readonly unknown[] {
  return files.map(({ path, status, added, removed }) => [
    path.slice(folder.length + 1),
    status,
    added,
    removed,
  ]);
}

async function diffOf(world: World, name: string, options: { runId?: string; context?: number }) {
  const { runId = null, context = 3 } = options;
  const target = { sessionId: "main", runId, path: world.path(name), context };
  return showChange(world.holdfast.store, target);
}

test("changes of a session are compared with its start, changes of a run with the start of the run", async (t) => {
  const world = await openWorld(t);
  writeFileSync(world.path("a"), "one\ntwo\n");
  writeFileSync(world.path("b.bin"), Buffer.from([0, 1]));
  const first = await world.run([
    { change: "a", to: "one\nTWO\n" },
    { change: "new", to: "1\n2\n3\n" },
    { change: "b.bin", to: Buffer.from([0, 2]) },
  ]);
  const second = await world.run([{ child: [{ change: "a", to: "ONE\nTWO\n" }] }]);
  assert.deepEqual(gist(world, await changesOf(world)), [
    ["a", "changed", 2, 2],
    ["new", "created", 3, 0],
    ["b.bin", "changed", null, null],
  ]);
  assert.deepEqual((await changesOf(world)).files[0]?.runIds, [first, second]);
  // A later run has changed the file, but the first run's diff contains only its own change.
  assert.deepEqual(gist(world, await changesOf(world, first)).slice(0, 1), [
    ["a", "changed", 1, 1],
  ]);
  assert.equal(
    (await diffOf(world, "a", { runId: first }))?.diff,
    "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n",
  );
  assert.equal(
    (await diffOf(world, "a", { runId: second, context: 0 }))?.diff,
    "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-one\n+ONE\n",
  );
  const binary = await diffOf(world, "b.bin", {});
  assert.deepEqual(
    [binary?.binary, binary?.diff, binary?.sizes],
    [true, null, { before: 2, after: 2 }],
  );
});

test("only files that the session changed can be read", async (t) => {
  const world = await openWorld(t);
  writeFileSync(world.path("secret"), "key\n");
  await world.run([{ read: "secret" }, { change: "a", to: "x\n" }]);
  assert.equal(await diffOf(world, "secret", {}), null);
  assert.equal(await diffOf(world, "../../etc/passwd", {}), null);
  assert.deepEqual(gist(world, await changesOf(world)), [["a", "created", 1, 0]]);
});

test("deleted, renamed, unreadable and restored files are distinguished, and changes by others are marked", async (t) => {
  const world = await openWorld(t);
  for (const name of ["gone", "moved", "folder", "back", "since"]) {
    writeFileSync(world.path(name), `${name}\n`);
  }
  await world.run([
    { change: "gone", to: "x\n" },
    { change: "moved", to: "new words\n" },
    { change: "new-name", to: "new words\n" },
    { change: "folder", to: "x\n" },
    { change: "back", to: "x\n" },
    { change: "since", to: "x\n" },
  ]);
  unlinkSync(world.path("gone"));
  unlinkSync(world.path("moved"));
  unlinkSync(world.path("folder"));
  mkdirSync(world.path("folder"));
  writeFileSync(world.path("back"), "back\n");
  writeFileSync(world.path("since"), "theirs\n");
  const { files } = await changesOf(world);
  assert.deepEqual(
    files.map(({ path, status, from, others, problem }) => [
      path.slice(world.folder.length + 1),
      status,
      from?.slice(world.folder.length + 1) ?? null,
      others,
      problem,
    ]),
    [
      ["gone", "deleted", null, "since", null],
      ["new-name", "renamed", "moved", null, null],
      ["folder", "changed", null, "since", "it is a folder, not a file"],
      ["since", "changed", null, "since", null],
    ],
  );
  const renamed = await diffOf(world, "new-name", {});
  assert.deepEqual([renamed?.from, renamed?.added, renamed?.removed], [world.path("moved"), 1, 1]);
});

test("a command is listed with the files that changed while it ran, and with no others", async (t) => {
  const world = await openWorld(t);
  writeFileSync(world.path(".gitignore"), "*.log\nstore.db*\n");
  const act = (): void => {
    writeFileSync(world.path("made by command"), "x");
    writeFileSync(world.path("ignored.log"), "x");
    writeFileSync(world.path("temporary"), "x");
    renameSync(world.path("temporary"), world.path("moved by command"));
  };
  // Wait, because files that changed up to 20 ms before the start of a command are listed as its changes.
  const written = Date.now();
  await waitFor(() => Date.now() - written > 40, { describe: "a later time" });
  await world.run([
    { change: "recorded", to: "x" },
    { run: "make", does: act },
  ]);
  const { commands } = await changesOf(world);
  assert.deepEqual(
    commands.map(({ summary, files }) => [summary, files]),
    [["run make", [world.path("made by command"), world.path("moved by command")]]],
  );
});

test("a file that changed in the millisecond in which a command ended is listed", async (t) => {
  const world = await openWorld(t);
  const path = world.path("last");
  const changedAt = (): number => lstatSync(path).ctimeMs;
  await waitFor(
    () => {
      writeFileSync(path, "x");
      return changedAt() > Math.floor(changedAt());
    },
    { describe: "a change between two milliseconds" },
  );
  const endedAt = Math.floor(changedAt());
  const action = { runId: "r", callId: "c", summary: "run make", startedAt: endedAt, endedAt };
  const record = { files: new Map(), actions: [action], background: [] };
  const [listed] = await commandFiles(record, world.folder);
  assert.ok(listed?.files.includes(path), String(listed?.files));
});
