import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../../../src/kernel/transaction.ts";
import { createCommitQueue } from "../../../src/store/sqlite/commit-queue.ts";
import type { CommitQueue } from "../../../src/store/sqlite/commit-queue.ts";
import type { StoreRequest } from "../../../src/store/store.ts";

const refused: Answer = {
  status: "refused",
  refusal: { code: "invalid", field: "none", message: "nothing is decided here" },
};

const clock = { now: 0 };

/** Opens a queue whose commits refuse every command. `commits` lists the sessions of each commit. */
function openQueue(): { queue: CommitQueue; commits: string[][] } {
  const commits: string[][] = [];
  const queue = createCommitQueue({
    commit: (requests) => {
      commits.push(requests.map(({ command }) => command.sessionId));
      return {
        results: requests.map(() => ({ status: "answered", answer: refused })),
        signals: [],
      };
    },
    signal: () => {},
    now: () => clock.now,
  });
  return { queue, commits };
}

function tick(sessionId: string): StoreRequest {
  return { command: { type: "lane.tick", sessionId, actor: { kind: "node", id: "node" } } };
}

/** Adds the entries in one round of the event loop, each after the promises of the one before have run. */
async function addInTurn(queue: CommitQueue, names: readonly string[]): Promise<void> {
  const answers: Promise<Answer>[] = [];
  for (const name of names) {
    answers.push(queue.add(tick(name)));
    for (let hop = 0; hop < 5; hop += 1) await Promise.resolve();
  }
  await Promise.all(answers);
}

test("P1 after a quiet period a request is committed at once, with others of the same tick", async () => {
  const { queue, commits } = openQueue();
  const both = [queue.add(tick("a")), queue.add(tick("b"))];
  await Promise.resolve();
  assert.deepEqual(commits, [["a", "b"]]);
  await Promise.all(both);
  clock.now += 10;
  await addInTurn(queue, ["c", "d"]);
  assert.deepEqual(commits, [["a", "b"], ["c"], ["d"]]);
});

test("P1 with many writers, all requests of one event loop turn share a commit", async () => {
  const { queue, commits } = openQueue();
  await queue.add(tick("a"));
  await addInTurn(queue, ["b", "c", "d"]);
  assert.deepEqual(commits, [["a"], ["b", "c", "d"]]);
  await queue.idle();
});
