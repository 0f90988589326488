import assert from "node:assert/strict";
import { test } from "node:test";
import { openHostedWorld } from "./world.ts";

// Hides bubblewrap from this process.
process.env["PATH"] = "/nonexistent";

test("an agent that requires a sandbox does not start without one, and the error names the reason", async (t) => {
  const world = await openHostedWorld(t, { acp: { sandbox: "required" } });
  await world.prompt("p1", "say x");
  const { ended, text } = await world.ended("p1");
  assert.equal(ended, "failed: brokenWorkspace");
  const why =
    process.platform === "linux"
      ? "bubblewrap is not installed (Debian: apt install bubblewrap)"
      : "the sandbox is only available on Linux";
  assert.equal(
    text,
    `stub cannot be used: its config requires a sandbox, but ${why}. Make the sandbox work. See docs/HOSTED.md#sandbox`,
  );
  assert.deepEqual(world.pids(), []);
});

test("an agent with the sandbox auto starts without one", async (t) => {
  const world = await openHostedWorld(t, { acp: { sandbox: "auto" } });
  await world.prompt("p1", "say x");
  const { ended, text } = await world.ended("p1");
  assert.deepEqual([ended, text], ["completed", "x"]);
});
