import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedPostgres } from "../../../support/postgres.ts";
import { startOften } from "./starts.ts";
import { takeOver } from "./takeover.ts";
import { stub } from "./vendor.ts";

// The longest parts of `npm run vendors`, with the stub in place of real agents.

const install = { folder: "", progress: () => {} };

test("H5 H7 no process of the agent is left after any way to stop it", async () => {
  const { stops, problems } = await startOften(stub, { times: 6, install });
  assert.deepEqual([Object.keys(stops).length, problems], [6, []]);
});

test("H2 H3 L5 a node takes a hosted run over: with the agent's folder it continues, and without it the run fails as interrupted", async () => {
  const server = await sharedPostgres();
  try {
    const database = await server.createDatabase();
    const other = await server.createDatabase();
    const ends = await Promise.all([
      takeOver(stub, { install, database, home: "own" }),
      takeOver(stub, { install, database: other, home: "shared" }),
    ]);
    assert.deepEqual(ends, [
      "failed: interrupted; the next prompt completes",
      "completed; the next prompt completes",
    ]);
  } finally {
    await server.stop();
  }
});
