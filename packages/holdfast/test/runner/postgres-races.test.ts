import { after, before, test } from "node:test";
import { sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { races } from "./races/races.ts";
import { childrenAroundTheEnd, oneStep, promptsAroundTheEnd } from "./races/tries.ts";
import { startFarProcess } from "./support/far-node.ts";
import type { FarProcess } from "./support/far-node.ts";
import { openPostgresPlace } from "./support/place.ts";

// Two processes on one database. Each can take any run, and commands are sent to the process that does not own the
// run.

let server: SharedPostgres;
let processes: readonly FarProcess[] = [];
before(async () => {
  processes = [startFarProcess(), startFarProcess()];
  server = await sharedPostgres();
});
after(async () => {
  await Promise.all(processes.map((process) => process.stop()));
  await server.stop();
});

for (const { name, settings, play } of races) {
  test(`${name} (two processes on PostgreSQL)`, async (t) => {
    const url = await server.createDatabase();
    await play(await openPostgresPlace(t, { ...settings, url, processes }));
  });
}

const many = { agent: oneStep, maxRuns: 500 };

test("L3 L6 32 prompts sent around a run's end are all run (two processes on PostgreSQL)", async (t) => {
  const url = await server.createDatabase();
  const place = await openPostgresPlace(t, { ...many, url, processes });
  await promptsAroundTheEnd(place, { tries: 32, seed: 4 });
});

test("L3 if every signal is lost, 32 prompts around a run's end are all run (two processes on PostgreSQL)", async (t) => {
  const url = await server.createDatabase();
  const place = await openPostgresPlace(t, { ...many, url, processes });
  for (const node of place.nodes) await node.dropSignals();
  await promptsAroundTheEnd(place, { tries: 32, seed: 5 });
});

test("C7 L3 8 background children settle while their parent becomes idle (two processes on PostgreSQL)", async (t) => {
  const url = await server.createDatabase();
  const place = await openPostgresPlace(t, { ...many, url, processes });
  await childrenAroundTheEnd(place, { tries: 8, seed: 6 });
});
