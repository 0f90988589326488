import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import { openWorkspaceFixture } from "./workspace-fixture.ts";

const model = { name: "Old", from: "acme", family: "acme", context: 100_000, output: 8_000 };
const catalogue = {
  format: 1,
  source: "test",
  generated: "2999-01-01",
  models: {
    "acme-1": { ...model, endOfLife: "3000-06-30" },
    "acme-2": model,
  },
};

test("a run with a model that will be shut down causes a warning, in the notices and once a day in the log", async (t) => {
  let now = Date.parse("3000-06-20T10:00:00Z");
  const warnings: string[] = [];
  const fixture = await openWorkspaceFixture(t, {
    script: inOrder(says("one"), says("two"), says("three"), says("four")),
    connected: true,
    model: "local/acme-1",
    files: {
      "config/holdfast/config.jsonc": { modelCatalogue: "models.json" },
      "config/holdfast/models.json": catalogue,
    },
    now: () => now,
    onWarning: (message) => void warnings.push(message),
  });
  const ending =
    "local/acme-1 reaches its end of life in 10 days, on 3000-06-30. Choose another model, such as acme-2.";
  for (const name of ["s1", "s2"]) {
    await fixture.send(name, { text: "Hello" });
    assert.equal((await fixture.ended(name)).ended, "completed");
  }
  const notices = () => fixture.setup.host.get(fixture.directory)?.current?.notices ?? [];
  assert.deepEqual(
    notices().map(({ severity, key, message }) => [severity, key, message]),
    [["warning", "model", ending]],
  );
  const config = { modelCatalogue: "models.json" };
  fixture.write("config/holdfast/config.jsonc", { ...config, limits: { maxSteps: 8 } });
  await fixture.refreshed({});
  await fixture.send("s3", { text: "Hello" });
  assert.equal((await fixture.ended("s3")).ended, "completed");
  assert.deepEqual(warnings, [ending], "a changed config causes no second warning on the same day");

  now = Date.parse("3000-07-01T10:00:00Z");
  // Another setting, because an unchanged config keeps its generation and its notices.
  fixture.write("config/holdfast/config.jsonc", { ...config, limits: { maxSteps: 9 } });
  await fixture.refreshed({});
  await fixture.send("s4", { text: "Hello" });
  assert.equal((await fixture.ended("s4")).ended, "completed");
  const ended =
    "local/acme-1 reached its end of life on 3000-06-30. Its provider may refuse every request. Choose another model, such as acme-2.";
  assert.deepEqual(
    notices().map(({ severity, message }) => [severity, message]),
    [["error", ended]],
  );
  assert.deepEqual(warnings, [ending, ended]);
});
