import assert from "node:assert/strict";
import { test } from "node:test";
import { passTask } from "./chain.ts";
import { killOften } from "./kills.ts";
import { playVendor, tableOf } from "./play.ts";
import { stub } from "./vendor.ts";

// The short form of `npm run vendors`, with the stub in place of real agents.

const install = { folder: "", progress: () => {} };

test("H1 to H7 the test agent passes every scenario of the table of agents", async () => {
  const column = await playVendor(stub, { install });
  assert.deepEqual(column.problems, []);
  assert.deepEqual(
    [...column.cells.values()],
    [
      "yes",
      "yes",
      "yes",
      "yes",
      "waits",
      "continues",
      "nothing runs; does not ask again; continues",
      "continues",
      "nothing runs; does not ask again; continues",
      "next run",
    ],
  );
  const [head, , first] = tableOf([column]).split("\n");
  assert.equal(head, "|  | stub |");
  assert.equal(first, "| an allowed command runs once, a denied one never | yes |");
});

test("H2 H4 P1 P2 while the agent and Holdfast are killed, no command runs without permission, and no prompt is lost", async (t) => {
  const seed = Math.floor(Math.random() * 1_000_000);
  const result = await killOften(stub, { kills: 3, seed, install });
  t.diagnostic(`seed ${seed}: ${JSON.stringify(result)}`);
  assert.deepEqual(result.problems, [], `seed ${seed}`);
});

test("C7 Holdfast's own agent gives a task to a hosted agent in one tree, and one cancel ends both", async () => {
  assert.equal(
    await passTask([stub], { install }),
    "2 sessions in one tree; one cancel ends 2 runs",
  );
});
