import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/base/time.ts";
import { lateServers, whenConnected } from "../../src/cli/commands/mcp-command.ts";

test("without a Holdfast server, the list waits for MCP servers that still connect", async () => {
  const states = [
    ["connecting", "connected"],
    ["connecting", "failed"],
    ["connected", "failed"],
  ] as const;
  let reads = 0;
  const { mcp } = await whenConnected(() => {
    const statuses = states[reads] ?? [];
    reads += 1;
    return Promise.resolve({ mcp: statuses.map((status) => ({ status })) });
  });
  assert.deepEqual(mcp, [{ status: "connected" }, { status: "failed" }]);
});

test("the list does not wait longer than 25 s for an MCP server, which then counts as failed", async () => {
  let time = 0;
  const clock = {
    ...systemClock,
    monotonic: () => time,
    after: (milliseconds: number, action: () => void) => {
      time += milliseconds;
      return systemClock.after(0, action);
    },
  };
  const { mcp } = await whenConnected(
    () => Promise.resolve({ mcp: [{ name: "slow", status: "connecting" as const }] }),
    clock,
  );
  assert.deepEqual([mcp, time], [[{ name: "slow", status: "connecting" }], 25_000]);
  // The command then exits with 1.
  assert.deepEqual(lateServers([...mcp, { name: "quick", status: "connected" }]), ["slow"]);
});
