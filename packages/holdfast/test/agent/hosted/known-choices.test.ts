import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noChoices } from "../../../src/agent/hosted/agent-choices.ts";
import { readKnownChoices, storeKnownChoices } from "../../../src/agent/hosted/known-choices.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const large = { id: "large", name: "Large", description: "" };
const choices = { ...noChoices, models: [large] };

test("choices of an agent are stored in a new folder", async (t) => {
  const file = join(scratchFolder(t, "choices"), "agents", "stub.json");
  await storeKnownChoices(file, choices);
  assert.deepEqual(await readKnownChoices(file), choices);
});

test("choices that cannot be stored leave no draft of the file", async (t) => {
  const folder = scratchFolder(t, "choices");
  mkdirSync(join(folder, "stub.json"));
  await storeKnownChoices(join(folder, "stub.json"), choices);
  assert.deepEqual(readdirSync(folder), ["stub.json"]);
});
