import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { play } from "../../../../gauntlet/play.ts";
import { scenarios } from "../../../../gauntlet/scenarios/all.ts";
import { holdfastTarget } from "../../../../gauntlet/targets/holdfast.ts";
import { hostedAgent } from "../../../../gauntlet/targets/hosted.ts";
import { program } from "../support/program.ts";

// Runs a few scenarios of the gauntlet, to notice when it breaks; `npm run gauntlet` runs all.

/** Milliseconds for each expected result, which may be slow beside other tests. */
const timeout = 120_000;

const names = [
  "duplicate submit",
  "cancel with prompts queued",
  "kill -9 in mid-run",
  "kill -9 in mid-tool",
  "prompts during shutdown",
  "crashing MCP server",
  "two answers to one ask",
];

test("P1 P3 C1 R1 R4 M9 a server passes race scenarios of the gauntlet over HTTP", async () => {
  const chosen = scenarios.filter(({ name }) => names.includes(name));
  const { played } = await play({
    target: holdfastTarget({ store: "sqlite", program }),
    scenarios: chosen,
    timeout,
  });
  assert.deepEqual(
    played.map(({ scenario, verdict }) => ({ scenario, verdict })),
    names.map((scenario) => ({ scenario, verdict: { status: "passed" } })),
  );
});

test("H1 P3 a hosted agent gets a queue and prompt ids, which ACP does not have", async () => {
  const command = [process.execPath, join(import.meta.dirname, "acp-agent.ts")];
  const hosted = ["late waiter", "duplicate submit", "config change during a run"];
  const { target, played } = await play({
    target: holdfastTarget({ store: "sqlite", program, hosted: hostedAgent(command) }),
    scenarios: scenarios.filter(({ name }) => hosted.includes(name)),
    timeout,
  });
  assert.equal(target, "node acp-agent.ts hosted by holdfast on sqlite");
  assert.deepEqual(
    played.map(({ verdict }) => verdict.status),
    ["passed", "passed", "notOffered"],
  );
});
