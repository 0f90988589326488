import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedPostgres } from "../../../support/postgres.ts";
import { killOften } from "./kills.ts";
import { playVendor, tableOf } from "./play.ts";
import { takeOver } from "./takeover.ts";
import { stub } from "./vendor.ts";

// The short form of `npm run vendors`, with the stub in place of real agents.

const install = { folder: "", progress: () => {} };

test("H1 to H7 the stub holds every row of the table of agents", async () => {
  const column = await playVendor(stub, { install });
  assert.deepEqual(column.problems, []);
  assert.deepEqual(
    [...column.cells.values()],
    [
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

test("H2 H4 P1 P2 over kills of the agent and of Holdfast no command runs without an answer, and no prompt is lost", async (t) => {
  const seed = Math.floor(Math.random() * 1_000_000);
  const result = await killOften(stub, { kills: 3, seed, install });
  t.diagnostic(`seed ${seed}: ${JSON.stringify(result)}`);
  assert.deepEqual(result.problems, [], `seed ${seed}`);
});

test("H3 L5 a node with another home folder takes a hosted run over, fails it as interrupted, and continues with the transcript", async () => {
  const server = await sharedPostgres();
  try {
    const database = await server.createDatabase();
    const end = await takeOver(stub, { install, database });
    assert.equal(end, "failed: interrupted; the next prompt completes");
  } finally {
    await server.stop();
  }
});
