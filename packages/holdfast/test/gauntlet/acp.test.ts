import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { htmlReport } from "../../../../gauntlet/html-report.ts";
import { play } from "../../../../gauntlet/play.ts";
import type { Report } from "../../../../gauntlet/report.ts";
import { scenarios } from "../../../../gauntlet/scenarios/all.ts";
import { acpTarget } from "../../../../gauntlet/targets/acp.ts";

// The gauntlet against agents that speak ACP: a good one, one that does not say what a cancel did, and one
// that dies. What ACP has no word for is not held against it.

const names = [
  "cancel right after the acknowledgement",
  "cancel of an idle session",
  "late waiter",
];

async function playAgainst(wrong: string): Promise<Report> {
  const command = [process.execPath, join(import.meta.dirname, "acp-agent.ts"), wrong];
  const target = await acpTarget(command);
  const chosen = scenarios.filter(({ name }) => names.includes(name));
  return play({ target, scenarios: chosen });
}

function verdicts({ played }: Report): unknown[] {
  return played.map(({ scenario, verdict }) => [
    scenario,
    verdict.status === "failed" ? verdict.reason : verdict.status,
  ]);
}

test("an agent over ACP passes what it offers", async () => {
  assert.deepEqual(verdicts(await playAgainst("")), [
    ["late waiter", "notOffered"],
    ["cancel right after the acknowledgement", "passed"],
    ["cancel of an idle session", "passed"],
  ]);
});

test("an agent that fails is told apart, and its story is in the page", async () => {
  const report = await playAgainst("deaf");
  assert.deepEqual(verdicts(report), [
    ["late waiter", "notOffered"],
    [
      "cancel right after the acknowledgement",
      'the end of the cancelled one: wanted "cancelled", got "completed"',
    ],
    ["cancel of an idle session", "passed"],
  ]);
  const story = report.played[1]?.timeline.map(({ who, what }) => `${who} ${what}`);
  assert.deepEqual(
    story?.filter((moment) => !moment.startsWith("model")),
    [
      "target it runs",
      "client sends a-0",
      "target acknowledges a-0",
      "client cancels",
      "target has taken the cancel",
      "target says of a-0: completed",
      'client gives up: the end of the cancelled one: wanted "cancelled", got "completed"',
    ],
  );
  const page = htmlReport({ at: "", machine: "", command: "", reports: [report] });
  assert.ok(page.includes("<td>sends a-0</td>"));
  assert.ok(page.includes("wanted &quot;cancelled&quot;, got &quot;completed&quot;"));
});

test("an agent that dies fails its scenario, and the next begins with a new one", async () => {
  const { played } = await playAgainst("crashing");
  assert.deepEqual(
    played.map(({ verdict }) => verdict.status),
    ["notOffered", "failed", "failed"],
  );
});
