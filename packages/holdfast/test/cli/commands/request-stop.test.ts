import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, Unreachable } from "@holdfast/sdk";
import { requestStop } from "../../../src/cli/commands/request-stop.ts";

/** A stop request that no server answers. */
const unanswered = (): Promise<unknown> =>
  // Nothing listens on port 1.
  connect({ url: "http://127.0.0.1:1", token: "hf_none", patience: 0 }).stop();

test("a server that ends before it answers the stop request counts as stopped", async () => {
  assert.equal(await requestStop(unanswered, () => Promise.resolve(false)), null);
  assert.equal(await requestStop(() => Promise.resolve("stopping"), assert.fail), "stopping");
  await assert.rejects(
    requestStop(unanswered, () => Promise.resolve(true)),
    Unreachable,
  );
});
