import assert from "node:assert/strict";
import { test } from "node:test";
import { shareWork } from "../../src/base/share-work.ts";

interface Round {
  readonly key: string;
  readonly end: (value: number) => void;
  readonly fail: (error: Error) => void;
}

function openRounds(): { ask: (key: string) => Promise<number>; rounds: Round[] } {
  const rounds: Round[] = [];
  const ask = shareWork((key) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    rounds.push({ key, end: resolve, fail: reject });
    return promise;
  });
  return { ask, rounds };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("callers during an execution share the next one, which begins after their calls", async () => {
  const { ask, rounds } = openRounds();
  const first = ask("a");
  const later = [ask("a"), ask("a"), ask("a")];
  assert.equal(rounds.length, 1);
  rounds[0]?.end(1);
  assert.equal(await first, 1);
  await settled();
  assert.equal(rounds.length, 2);
  const last = ask("a");
  rounds[1]?.end(2);
  assert.deepEqual(await Promise.all(later), [2, 2, 2]);
  await settled();
  rounds[2]?.end(3);
  assert.equal(await last, 3);
  assert.equal(rounds.length, 3);
});

test("keys do not wait for each other", async () => {
  const { ask, rounds } = openRounds();
  const both = [ask("a"), ask("b")];
  assert.deepEqual(
    rounds.map(({ key }) => key),
    ["a", "b"],
  );
  rounds[1]?.end(2);
  rounds[0]?.end(1);
  assert.deepEqual(await Promise.all(both), [1, 2]);
});

test("a failed execution fails for all callers that share it, and the next one begins anyway", async () => {
  const { ask, rounds } = openRounds();
  const first = ask("a");
  const second = ask("a");
  rounds[0]?.fail(new Error("no"));
  await assert.rejects(first, { message: "no" });
  await settled();
  rounds[1]?.end(2);
  assert.equal(await second, 2);
});
