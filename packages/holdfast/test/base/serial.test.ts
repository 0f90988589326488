import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyedMutex, createMutex, createSemaphore } from "../../src/base/serial.ts";
import { settled } from "../support/hand-clock.ts";

/** Tasks that end when the test says so, with the order in which they have started. */
function createTasks(): {
  readonly started: string[];
  readonly task: (name: string) => () => Promise<string>;
  readonly end: (name: string) => Promise<void>;
} {
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const endOf = (name: string): PromiseWithResolvers<string> => {
    const found = ends.get(name) ?? Promise.withResolvers<string>();
    ends.set(name, found);
    return found;
  };
  return {
    started,
    task: (name) => () => {
      started.push(name);
      return endOf(name).promise;
    },
    end: async (name) => {
      endOf(name).resolve(name);
      await settled();
    },
  };
}

test("a mutex runs one task at a time, in order, and continues after a failure", async () => {
  const { started, task, end } = createTasks();
  const mutex = createMutex();
  const failing = assert.rejects(
    mutex(() => Promise.reject(new Error("failed"))),
    /failed/,
  );
  const first = mutex(task("a"));
  const second = mutex(task("b"));
  await failing;
  await settled();
  assert.deepEqual(started, ["a"]);
  await end("a");
  assert.deepEqual(started, ["a", "b"]);
  await end("b");
  assert.deepEqual(await Promise.all([first, second]), ["a", "b"]);
});

test("a semaphore runs as many tasks at once as its limit allows", async () => {
  const { started, task, end } = createTasks();
  const semaphore = createSemaphore(2);
  const all = ["a", "b", "c"].map((name) => semaphore(task(name)));
  await settled();
  assert.deepEqual(started, ["a", "b"]);
  await end("b");
  assert.deepEqual(started, ["a", "b", "c"]);
  await end("a");
  await end("c");
  assert.deepEqual(await Promise.all(all), ["a", "b", "c"]);
});

test("a keyed mutex makes tasks wait only for tasks with the same key", async () => {
  const { started, task, end } = createTasks();
  const mutex = createKeyedMutex();
  const all = [mutex.run("x", task("x1")), mutex.run("x", task("x2")), mutex.run("y", task("y1"))];
  let isIdle = false;
  const idle = mutex.idle().then(() => (isIdle = true));
  await settled();
  assert.deepEqual(started, ["x1", "y1"]);
  await end("x1");
  assert.deepEqual(started, ["x1", "y1", "x2"]);
  await end("x2");
  assert.deepEqual([mutex.isBusy("x"), mutex.isBusy("y"), isIdle], [false, true, false]);
  await end("y1");
  await idle;
  assert.deepEqual(await Promise.all(all), ["x1", "x2", "y1"]);
});
