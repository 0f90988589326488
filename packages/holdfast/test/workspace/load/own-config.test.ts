import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { Script } from "../../../../../gauntlet/model-server/script.ts";
import type { LaneState } from "../../../src/kernel/state.ts";
import { openWorkspaceFixture } from "./workspace-fixture.ts";
import type { WorkspaceFixture } from "./workspace-fixture.ts";

test("M7 a run that edits its own config continues unchanged, and the next run has the edit", async (t) => {
  const fixture = await openEditing(t, async (call) => {
    // The next config version is loaded while this run still uses the old one.
    await deferred(fixture, "edits");
    assert.equal(call.model, "first");
    return says("Edited.");
  });
  await fixture.send("edits", { text: "Use the second model" });
  assert.deepEqual(await fixture.ended("edits"), { ended: "completed", text: "Edited." });
  await fixture.send("next", { text: "Go on" });
  assert.deepEqual(await fixture.ended("next"), { ended: "completed", text: "With the edit." });
  assert.deepEqual(
    fixture.server.calls.map(({ model }) => model),
    ["first", "first", "second"],
  );
});

test("M1 an edit at the very end of a run applies to the next run, even if its prompt already waits", async (t) => {
  const fixture = await openEditing(t, () => says("Edited."));
  await fixture.send("edits", { text: "Use the second model" });
  await fixture.runtime.prompt({ sessionId: "edits", promptId: "next", text: "Go on" });
  await fixture.runtime.wait({ sessionId: "edits", promptId: "next" });
  assert.deepEqual(
    fixture.server.calls.map(({ model }) => model),
    ["first", "first", "second"],
  );
});

test("L4 a config that is broken from the start holds the lane with the position, and fixing it is enough", async (t) => {
  const fixture = await openWorkspaceFixture(t, {
    script: () => says("Mended."),
    files: { "project/holdfast.jsonc": '{\n  "model": 5\n}' },
  });
  await fixture.send("broken", { text: "say hello" });
  const { ended, text } = await fixture.ended("broken");
  assert.equal(ended, "failed: brokenWorkspace");
  assert.match(text ?? "", /holdfast\.jsonc:2:\d+: model: /);
  await fixture.runtime.prompt({ sessionId: "broken", promptId: "again", text: "say hello" });
  // A new prompt releases the hold and tries again (L4). It fails in the same way, and the session is held again.
  await fixture.runtime.wait({ sessionId: "broken", promptId: "again" });
  assert.deepEqual(
    (await lane(fixture)).holds.map(({ kind }) => kind),
    ["failure"],
  );
  const mended = fixture.nextEnd("config");
  fixture.write("project/holdfast.jsonc", "{}");
  assert.deepEqual([(await mended).status, (await lane(fixture)).holds], ["completed", []]);
  await fixture.runtime.prompt({ sessionId: "broken", promptId: "last", text: "say hello" });
  const row = await fixture.runtime.wait({ sessionId: "broken", promptId: "last" });
  assert.equal(row?.outcome?.status, "completed");
});

test("a model that is set for the program overrides every config", async (t) => {
  const fixture = await openWorkspaceFixture(t, {
    model: "local/named",
    connected: true,
    environment: { HOLDFAST_MODEL: "local/variable" },
    files: { "config/holdfast/config.jsonc": { model: "local/config" } },
    script: () => says("Yes."),
  });
  await fixture.send("one", { text: "Who?" });
  await fixture.ended("one");
  await fixture.send("two", { text: "Who?", model: "local/prompt" });
  await fixture.ended("two");
  assert.deepEqual(
    fixture.server.calls.map(({ model }) => model),
    ["named", "prompt"],
  );
});

test("the demo agent too reports an unknown agent", async (t) => {
  const fixture = await openWorkspaceFixture(t, { script: () => says("") });
  await fixture.send("one", { text: "say hello", agent: "nobody" });
  assert.deepEqual(await fixture.ended("one"), {
    ended: "failed: refused",
    text: "There is no agent nobody in this directory. Available agents: default, demo. To see ignored settings: holdfast config --check",
  });
});

test("an error in one prompt fails only that prompt, and others continue (L4)", async (t) => {
  const fixture = await openWorkspaceFixture(t, { connected: true, script: () => says("Yes.") });
  for (const [name, fields, ended, words] of [
    [
      "m",
      { model: "nobody/x" },
      "failed: modelGone",
      /The model nobody\/x cannot be used: the provider nobody is not connected/,
    ],
    [
      "a",
      { agent: "nobody" },
      "failed: refused",
      /no agent nobody in this directory\. Available agents: default/,
    ],
  ] as const) {
    await fixture.send(name, { text: "Go", ...fields });
    const outcome = await fixture.ended(name);
    assert.equal(outcome.ended, ended);
    assert.match(outcome.text ?? "", words);
    assert.deepEqual((await lane(fixture, name)).holds, []);
  }
});

/** Opens a fixture in which the first run changes the agent in its config. `edited` is the model's reply after that. */
function openEditing(t: TestContext, edited: Script): Promise<WorkspaceFixture> {
  const content = '{ "agent": "second" }';
  const agents = { second: { model: "local/second" } };
  const permissions = [{ action: "change", pattern: "**", effect: "allow" }];
  return openWorkspaceFixture(t, {
    connected: true,
    files: { "config/holdfast/config.jsonc": { model: "local/first", agents, permissions } },
    script: inOrder(
      asks({ name: "write", input: { path: "holdfast.jsonc", content } }),
      edited,
      says("With the edit."),
    ),
  });
}

async function lane({ runtime }: WorkspaceFixture, sessionId = "broken"): Promise<LaneState> {
  const found = await runtime.store.lane(sessionId);
  assert.ok(found);
  return found;
}

/** Waits until an edit's refresh is in use, while the session's run still uses the old config version. */
async function deferred({ runtime }: WorkspaceFixture, sessionId: string): Promise<void> {
  const isWaiting = (): boolean =>
    runtime.maintenance
      .open()
      .some(({ parts }) =>
        parts.some(
          (part) =>
            part.status === "deferred" &&
            part.waitingFor.some((waiting) => waiting.sessionId === sessionId),
        ),
      );
  await waitFor(isWaiting, { describe: `an action that waits for ${sessionId}` });
}
