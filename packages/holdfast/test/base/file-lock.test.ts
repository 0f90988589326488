import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { takeFileLock, withFileLock } from "../../src/base/file-lock.ts";
import { createHandClock } from "../support/hand-clock.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { waitFor } from "../support/wait-for.ts";

test("a file lock is given to one owner at a time", (t) => {
  const file = join(scratchFolder(t, "file-lock"), "a.lock");
  const lock = takeFileLock(file);
  assert.ok(lock !== null);
  assert.equal(takeFileLock(file), null);
  lock.release();
  const next = takeFileLock(file);
  assert.ok(next !== null);
  next.release();
});

test("work under a file lock waits for a lock of another process, and starts when that process is killed", async (t) => {
  const file = join(scratchFolder(t, "file-lock"), "new", "a.json");
  await withFileLock(file, async () => {}, { milliseconds: 0, late: () => assert.fail("late") });
  const module = join(import.meta.dirname, "../../src/base/file-lock.ts");
  const script = `
    const { takeFileLock } = await import(${JSON.stringify(module)});
    if (takeFileLock(${JSON.stringify(`${file}-lock`)}) !== null) console.log("locked");
    setInterval(() => {}, 60_000);
  `;
  const owner = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => owner.kill("SIGKILL"));
  await once(owner.stdout, "data");
  let result = "waiting";
  const work = withFileLock(file, async () => (result = "done"), {
    milliseconds: 60_000,
    late: () => assert.fail("late"),
  });
  assert.equal(takeFileLock(`${file}-lock`), null);
  assert.equal(result, "waiting");
  owner.kill("SIGKILL");
  await work;
  assert.equal(result, "done");
});

test("work under a file lock that does not become free is given up after the time limit", async (t) => {
  const file = join(scratchFolder(t, "file-lock"), "a.json");
  const lock = takeFileLock(`${file}-lock`);
  t.after(() => lock?.release());
  const clock = createHandClock();
  let isLate = false;
  const work = withFileLock(file, () => assert.fail("the lock is not free"), {
    milliseconds: 1_000,
    late: () => (isLate = true),
    clock,
  });
  await waitFor(() => clock.pending(), {
    describe: "the wait for the lock",
    until: (count) => count > 0,
  });
  await clock.move(980);
  assert.equal(isLate, false);
  await clock.move(20);
  await work;
  assert.equal(isLate, true);
});
