import assert from "node:assert/strict";
import { test } from "node:test";
import { createShellTool } from "../../holdfast/src/agent/tools/shell.ts";
import { workbench } from "../../holdfast/test/agent/tools/workbench.ts";
import { askSubject } from "../src/ask-extra.ts";
import { askText } from "../src/ask-text.ts";

function run(subject: string, agent?: string) {
  return askSubject({
    permission: { action: "run", subject },
    ...(agent === undefined ? {} : { agent }),
  });
}

test("the text of a permission request is divided into question and notes", async (t) => {
  const { context } = workbench(t);
  const tool = createShellTool({ findSandbox: () => Promise.resolve(null) });
  const request = await tool.permission({ command: "a\nb" }, context);
  const text = [
    "The rules file cannot be read.",
    "May the agent run a\nb?",
    request?.warning,
    "This answer cannot be remembered: it contains a secret.",
  ].join("\n");
  assert.deepEqual(askText(text, run("a\nb")), {
    isKnown: true,
    taskFor: null,
    question: "May the agent run a\nb?",
    notes: [
      { kind: "other", text: "The rules file cannot be read." },
      { kind: "noSandbox" },
      { kind: "notRemembered", reason: "it contains a secret" },
    ],
  });
});

test("the question of a hosted agent is known by the agent's name", () => {
  assert.equal(askText("May codex run ls?", run("ls", "codex")).isKnown, true);
  assert.equal(askText("May codex run ls?", run("ls")).isKnown, false);
});

test("a request to give a task names the agent that gets it", () => {
  const subject = askSubject({ permission: { action: "send", subject: "task" }, agent: "claude" });
  assert.equal(askText("May claude give a task to codex?", subject).taskFor, "codex");
  assert.equal(askText("May claude send task?", subject).taskFor, null);
});

test("a request for a higher limit has its amounts as numbers", () => {
  const budget = {
    spent: { cost: 1.5, inputTokens: 10, outputTokens: 5 },
    limit: { cost: 1, tokens: null },
    raise: { cost: 1, tokens: null },
  };
  assert.deepEqual(askSubject({ budget }).budget, {
    spent: { cost: 1.5, tokens: 15 },
    limit: { cost: 1, tokens: null },
    raise: { cost: 1, tokens: null },
  });
});
