import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { openWithStub } from "./stub-cli.ts";
import { openCli } from "./test-cli.ts";

test("run --agent chooses the agent of a new session, and only the prompt in an existing session", async (t) => {
  const cli = openWithStub(t, { environment: { HOLDFAST_AGENT: "demo" } });
  const holdfast = connect(await cli.serve());
  await cli.run("run", "--agent", "stub", "say one");
  const next = await cli.run("run", "--continue", "say two");
  assert.deepEqual([next.end, next.out], [0, "two\n"], next.err);
  const demo = await cli.run("run", "--continue", "--agent", "demo", "say three");
  assert.deepEqual([demo.end, demo.out], [0, "[demo agent] three\n"], demo.err);
  assert.match(demo.err, /continue with: holdfast run .*--agent demo --session/);
  const [session] = (await holdfast.sessions.list()).items;
  assert.equal(session?.agent, "stub");
  const wrong = await cli.run("run", "--agent", "nobody", "--model", "a/b", "say four");
  assert.match(
    wrong.err,
    /There is no agent nobody in this directory\. Available agents: default, /,
  );
  assert.equal((await holdfast.sessions.list()).items.length, 1, "no session is created");
});

test("a hosted agent that the config chooses answers in an embedded command without a model", async (t) => {
  const environment = { HOLDFAST_EMBEDDED: "1" };
  const cli = openWithStub(t, { config: { agent: "stub" }, environment });
  const { end, out, err } = await cli.run("run", "say Hello.");
  assert.deepEqual([end, out], [0, "Hello.\n"], err);
});

test("a command with a hosted agent does not print the model of a connected provider", async (t) => {
  const environment = { HOLDFAST_EMBEDDED: "1", ANTHROPIC_API_KEY: "key-of-another-agent" };
  const cli = openWithStub(t, { environment });
  const { end, out, err } = await cli.run("run", "--agent", "stub", "say Hello.");
  assert.deepEqual([end, out], [0, "Hello.\n"], err);
  assert.doesNotMatch(err, /anthropic\//);
  assert.match(err, /\ncontinue with: holdfast run (?!.*--agent).*--session \w+ "..."\n$/);
});

test("agents remove says how open projects notice it", async (t) => {
  const cli = openCli(t);
  const installed = join(cli.folder, "data/holdfast/agents/claude");
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, "agent.json"), "{}");
  const { end, out, err } = await cli.run("agents", "remove", "claude");
  const advice = "Projects that are already open list it until: holdfast server reload --all";
  assert.deepEqual([end, out, err], [0, `Removed claude.\n${advice}\n`, ""]);
});
