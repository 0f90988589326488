import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInCatalogue } from "../../../src/agent/model/catalogue/read-catalogue.ts";
import { openConfigFixture } from "./config-fixture.ts";

const { generated } = builtInCatalogue();
const instead = `The built-in catalogue of ${generated} is used instead`;
const model = { name: "New", from: "acme", family: "new", context: 1_000, output: 100 };
const newer = { format: 1, source: "test", generated: "2999-01-01", models: { "new-1": model } };

test("a newer catalogue of the user replaces the built-in one, and an edit of it is noticed", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", { modelCatalogue: "models.json" });
  fixture.write("user/models.json", newer);
  const first = await fixture.read();
  assert.deepEqual(first.config.catalogue, newer);
  assert.deepEqual(first.notices, []);
  assert.ok(first.files.includes(`${fixture.userFolder}/models.json`), "the file is watched");
  fixture.write("user/models.json", { ...newer, generated: "2999-01-02" });
  assert.notEqual((await fixture.read()).digest, first.digest);
});

test("a catalogue that is broken, old or missing is ignored with its reason, and nothing fails", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", { modelCatalogue: "models.json" });
  const copy = "Copy models.json from a newer release of Holdfast, or remove this setting";
  for (const [content, reason] of [
    [null, "cannot be used: the file does not exist. The built-in catalogue is used instead"],
    ["{ no", `cannot be used: the file is not valid JSON. ${instead}. ${copy}`],
    [
      { ...newer, format: 2 },
      `cannot be used: format: Invalid input: expected 1. ${instead}. ${copy}`,
    ],
    [
      { ...newer, models: { "new-1": { ...model, context: -1 } } },
      `cannot be used: models.new-1.context: Too small: expected number to be >=1. ${instead}. ${copy}`,
    ],
    [
      { ...newer, generated: "2020-01-01" },
      `is from 2020-01-01 and outdated. ${instead}. Remove this setting`,
    ],
  ] as const) {
    if (content !== null) fixture.write("user/models.json", content);
    assert.deepEqual(await fixture.warnings(), [
      `user/config.jsonc:1:19: modelCatalogue: user/models.json ${reason}`,
    ]);
    assert.equal((await fixture.read()).config.catalogue, null);
  }
});

test("P6 a project cannot name a catalogue, because its prices would decide about budgets", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("project/holdfast.jsonc", { modelCatalogue: "models.json" });
  fixture.write("project/models.json", newer);
  assert.equal((await fixture.readTrusted()).config.catalogue, null);
  assert.deepEqual(await fixture.warnings(), [
    "project/holdfast.jsonc:1:19: modelCatalogue: is ignored: only your own config can name a model catalogue",
  ]);
});
