import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionDetail } from "@holdfast/sdk";
import { emptyConversation } from "@holdfast/model/conversation.ts";
import type { StepEntry } from "@holdfast/model/conversation.ts";
import { agentRows } from "../../src/panels/agents-panel.ts";
import { liveStepRows } from "../../src/panels/live-step.ts";
import { createLook } from "../../src/screen/look.ts";
import { colourless } from "../../src/screen/text.ts";
import { noHighlight } from "../../src/transcript/highlight.ts";

const look = createLook("plain", false);

function step(call: object): StepEntry {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the panels read only these fields
  return { kind: "step", id: "s", answeredAt: 1, calls: [call] } as unknown as StepEntry;
}

function detail(sessionId: string, fields: object): SessionDetail {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the panel reads only these fields
  return { sessionId, title: "Prompt of the task", ...fields } as unknown as SessionDetail;
}

test("a sub-agent has the title of its task, a place in the tree and a state", () => {
  const conversation = emptyConversation();
  const child = { sessionId: "one", promptId: "p", background: false, outcome: null };
  conversation.entries.push(step({ name: "task", input: { title: "Read the tests" }, child }));
  const rows = agentRows(
    [
      {
        depth: 0,
        detail: detail("one", { status: "running", active: { kind: "run", step: 3 } }),
      },
      { depth: 1, detail: detail("two", { status: "asking", active: null }) },
    ],
    { look, columns: 50, conversation },
  );
  assert.deepEqual(rows.slice(1), [
    "  └ Read the tests                 running, step 3",
    "    └ Prompt of the task                 needs you",
  ]);
});

test("a call with a long title shows its state", () => {
  const call = {
    name: "shell",
    input: { command: "echo a long command ".repeat(10) },
    status: "waiting",
    askId: "ask",
    startedAt: null,
    endedAt: null,
  };
  const open = { step: step(call), rest: "", language: null, printedCalls: 0 };
  const options = { look, columns: 40, height: 24, highlight: noHighlight, now: 0 };
  const [, row = ""] = liveStepRows(open, null, options);
  assert.equal(colourless(row), "○ shell echo a long command… · needs you");
});
