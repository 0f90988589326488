import assert from "node:assert/strict";
import { test } from "node:test";
import { openWithStub } from "./stub-cli.ts";

test("a hosted agent answers on a server without a connected model", async (t) => {
  const cli = openWithStub(t);
  await cli.serve();
  const { end, out, err } = await cli.run("run", "--agent", "stub", "say Hello.");
  assert.deepEqual([end, out], [0, "Hello.\n"], err);
  assert.doesNotMatch(err, /demo agent/i);
  const other = await cli.run("run", "say Hello.");
  assert.match(other.err, /^holdfast: noModel: /, "the agent of Holdfast still needs a model");
});
