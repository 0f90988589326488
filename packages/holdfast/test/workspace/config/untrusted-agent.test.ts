import assert from "node:assert/strict";
import { test } from "node:test";
import { openConfigFixture } from "./config-fixture.ts";

test("a hosted agent of an untrusted project does not exist, so that no other agent answers for it", async (t) => {
  const fixture = openConfigFixture(t);
  const theirs = { prompt: "theirs", acp: { command: ["./agent.sh"] } };
  fixture.write("project/holdfast.jsonc", { agent: "theirs", agents: { theirs } });
  const { config, powers } = await fixture.read();
  assert.deepEqual([config.agents.has("theirs"), config.agent], [false, null]);
  const trusted = (await fixture.read({ trusted: powers.digest })).config;
  assert.deepEqual([trusted.agents.has("theirs"), trusted.agent], [true, "theirs"]);
});
