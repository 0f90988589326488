import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { htmlReport } from "../../../../gauntlet/html-report.ts";
import { play } from "../../../../gauntlet/play.ts";
import type { Report } from "../../../../gauntlet/report.ts";
import { scenarios } from "../../../../gauntlet/scenarios/all.ts";
import type { WantedCall } from "../../../../gauntlet/target.ts";
import { foundCommand, foundMcp } from "../../../../gauntlet/targets/acp-tools.ts";
import { acpTarget } from "../../../../gauntlet/targets/acp.ts";
import { isAlive } from "../agent/hosted/world.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { waitFor } from "../support/wait-for.ts";

// Runs the gauntlet against agents that speak ACP: a correct one, one that does not report the result of a cancel,
// and one that dies. Features that ACP does not have are not tested.

const names = [
  "cancel right after the acknowledgement",
  "cancel of an idle session",
  "late waiter",
];

async function playAgainst(wrong: string, wanted: readonly string[] = names): Promise<Report> {
  const command = [process.execPath, join(import.meta.dirname, "acp-agent.ts"), wrong];
  const target = await acpTarget(command);
  const chosen = scenarios.filter(({ name }) => wanted.includes(name));
  return play({ target, scenarios: chosen, timeout: 120_000 });
}

function found(call: WantedCall, ...tools: string[]): unknown {
  return typeof call === "function" ? call(tools) : call;
}

function verdicts({ played }: Report): unknown[] {
  return played.map(({ scenario, verdict }) => [
    scenario,
    verdict.status === "failed" ? verdict.reason : verdict.status,
  ]);
}

test("an agent over ACP passes the scenarios for the features that it offers", async () => {
  assert.deepEqual(verdicts(await playAgainst("")), [
    ["late waiter", "notOffered"],
    ["cancel right after the acknowledgement", "passed"],
    ["cancel of an idle session", "passed"],
  ]);
});

test("scenarios are skipped if an agent has no tool for them", async () => {
  const { played } = await playAgainst("", ["stuck tool"]);
  const why = "the model is offered nothing that looks like it, but nothing";
  assert.deepEqual(
    played.map(({ verdict }) => verdict),
    [{ status: "notOffered", missing: [{ offer: "commands", why }] }],
  );
});

test("an agent's tools are found among the tools that its model is offered", () => {
  const command = foundCommand("true");
  assert.deepEqual(found(command, "Read", "Bash"), {
    name: "Bash",
    input: { command: "true", description: "as asked" },
  });
  assert.deepEqual(found(command, "exec_command"), {
    name: "exec_command",
    input: { cmd: "true", yield_time_ms: 30_000 },
  });
  assert.deepEqual(found(command, "read", "write"), {
    offer: "commands",
    why: "the model is offered nothing that looks like it, but read, write",
  });
  const echo = foundMcp("rough", "echo");
  assert.deepEqual(found(echo, "bash", "mcp__rough__echo"), {
    name: "mcp__rough__echo",
    input: {},
  });
  assert.deepEqual(found(echo, "mcp__rough"), {
    name: "echo",
    namespace: "mcp__rough",
    input: {},
  });
});

test("if an agent does not start, no scenario counts as failed", async () => {
  const target = await acpTarget(["false"]);
  const chosen = scenarios.filter(({ name }) => names.includes(name));
  await assert.rejects(play({ target, scenarios: chosen }), {
    message: "acp: false does not start: the process has ended without output",
  });
});

test("an agent that is never ready is killed", async (t) => {
  const file = join(scratchFolder(t, "silent"), "pid");
  const target = await acpTarget(["sh", "-c", `echo $$ > ${file}; exec sleep 30`]);
  const chosen = scenarios.filter(({ name }) => names.includes(name));
  await assert.rejects(play({ target, scenarios: chosen, timeout: 1_000 }), {
    message: /does not start: it was not ready within 3 seconds$/,
  });
  const pid = Number(readFileSync(file, "utf8"));
  await waitFor(() => !isAlive(pid), { describe: "the end of the agent" });
});

test("a failing agent is reported as failed, with its timeline on the page", async () => {
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
      "target is running",
      "client sends a-0",
      "target acknowledges a-0",
      "client cancels",
      "target acknowledges the cancel",
      "target reports a-0: completed",
      'client gives up: the end of the cancelled one: wanted "cancelled", got "completed"',
    ],
  );
  const page = htmlReport({ at: "", machine: "", command: "", reports: [report] });
  assert.ok(page.includes("<td>sends a-0</td>"));
  assert.ok(page.includes("wanted &quot;cancelled&quot;, got &quot;completed&quot;"));
});

test("an agent that dies fails its scenario, and the next scenario begins with a new process", async () => {
  const { played } = await playAgainst("crashing");
  assert.deepEqual(
    played.map(({ verdict }) => verdict.status),
    ["notOffered", "failed", "failed"],
  );
});
