import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startModelServer } from "../../../../gauntlet/model-server/model-server.ts";
import { says } from "../../../../gauntlet/model-server/script.ts";
import { openCli } from "./test-cli.ts";
import { replying } from "./model-cli.ts";

test("a prompt that names its model, or needs none, prints no warning about the default model", async (t) => {
  const model = await startModelServer(replying({ "": [says("Hi.")] }));
  t.after(() => model.close());
  const cli = openCli(t, { HOLDFAST_AGENT: "" });
  const address = model.addresses.openaiChat;
  const connected = await cli.run("connect", "local", "--no-key", "--base-url", address);
  assert.equal(connected.end, 0, connected.err);
  writeFileSync(join(cli.folder, "holdfast.jsonc"), '{ "modle": "local/test" }\n');

  const named = await cli.run("run", "--model", "local/test", "hello");
  assert.deepEqual([named.end, named.out], [0, "Hi.\n"], named.err);
  const demo = await cli.run("run", "--agent", "demo", "say hello");
  assert.deepEqual([demo.end, demo.out], [0, "[demo agent] hello\n"], demo.err);
  // Other problems of the config are still printed.
  for (const { err } of [named, demo]) {
    const warnings = err.split("\n").filter((line) => line.includes("warning:"));
    assert.equal(warnings.length, 1, err);
    assert.match(warnings[0] ?? "", /holdfast\.jsonc:1:3: warning: modle: /);
  }
});

test("a prompt without a model is refused with the connected provider's name if no model is selected", async (t) => {
  const cli = openCli(t, { HOLDFAST_AGENT: "" });
  const address = "http://127.0.0.1:9/v1";
  const connected = await cli.run("connect", "local", "--no-key", "--base-url", address);
  assert.equal(connected.end, 0, connected.err);
  const refused = await cli.run("run", "hello");
  assert.equal(refused.end, 2, refused.err);
  assert.match(refused.err, /The provider local is connected, but no model is selected\. Name one/);
});
