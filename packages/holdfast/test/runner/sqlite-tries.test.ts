import { test } from "node:test";
import { childrenAroundTheEnd, oneStep, promptsAroundTheEnd } from "./races/tries.ts";
import { openSqlitePlace } from "./support/place.ts";

const options = { agent: oneStep, maxRuns: 2000 };

test("L3 L6 160 prompts sent around a run's end are all run (SQLite)", async (t) => {
  const place = await openSqlitePlace(t, options);
  await promptsAroundTheEnd(place, { tries: 160, seed: 1 });
});

test("L3 if every signal is lost, the poll finds all prompts sent around a run's end (SQLite)", async (t) => {
  const place = await openSqlitePlace(t, options);
  await place.first.dropSignals();
  await promptsAroundTheEnd(place, { tries: 160, seed: 2 });
});

test("C7 L3 120 background children settle while their parent becomes idle (SQLite)", async (t) => {
  const place = await openSqlitePlace(t, options);
  await childrenAroundTheEnd(place, { tries: 120, seed: 3 });
});
