import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import type { InFlight } from "@holdfast/sdk";
import { emptyConversation, putEntry } from "@holdfast/model/conversation.ts";
import type { CallView, Conversation, StepEntry } from "@holdfast/model/conversation.ts";
import { todoRows } from "../src/panels/todo-panel.ts";
import { createLook } from "../src/screen/look.ts";
import { spoken } from "../src/screen/plain-screen.ts";
import { noHighlight } from "../src/transcript/highlight.ts";
import { createTranscript } from "../src/transcript/transcript.ts";

const look = createLook("plain", false);
const options = { look, columns: 80, highlight: noHighlight, own: null, hidden: new Set<string>() };

function withStep(fields: Partial<StepEntry>): Conversation {
  const conversation = emptyConversation();
  const step = { kind: "step", id: "step", runId: "r", step: 1, openedAt: 0, answeredAt: null };
  const empty = { text: "", reasoning: null, calls: [], isInterrupted: false, cutAt: null };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the transcript reads only these fields
  putEntry(conversation, { ...step, ...empty, ...fields } as unknown as StepEntry);
  return conversation;
}

function lines(conversation: Conversation, isWhole: boolean): string {
  const rows = createTranscript().next(conversation, null, { ...options, isWhole });
  return stripVTControlCharacters(rows.join("\n"));
}

const items = [
  { text: "Find the rounding", status: "done" },
  { text: "Round in cents", status: "active" },
  { text: "Run the tests", status: "open" },
];
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
const todoCall = {
  callId: "c",
  name: "todo",
  input: {},
  status: "completed",
  output: "",
  extra: { todo: items },
  startedAt: 0,
  endedAt: 1,
} as unknown as CallView;

test("reasoning is folded into one row, and the view of the whole session shows it", () => {
  const conversation = withStep({
    answeredAt: 3_000,
    text: "It is 4.",
    reasoning: "2 and 2\nmake 4",
  });
  assert.match(lines(conversation, false), /✻ Thought for 3 s · Ctrl-O shows it\n\n● It is 4\./);
  assert.match(lines(conversation, true), /✻ 2 and 2\n {2}make 4\n\n● It is 4\./);
});

test("text that a result adds to the answer is shown below the answer", () => {
  const conversation = withStep({ answeredAt: 1, text: "As far as" });
  const notice = { type: "added", runId: "r", text: "[The answer is cut.]" } as const;
  const actor = { kind: "node", id: "node-1" } as const;
  putEntry(conversation, { kind: "notice", id: "notice:2", at: 2, actor, notice });
  assert.match(lines(conversation, false), /● As far as\n+■ \[The answer is cut\.\]$/);
});

test("an answer that is taken back after a part was printed starts over", () => {
  const conversation = withStep({});
  const transcript = createTranscript();
  const next = (text: string): string => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    const inFlight = { runId: "r", step: 1, text, reasoning: "", calls: [] } as unknown as InFlight;
    const rows = transcript.next(conversation, inFlight, { ...options, isWhole: false });
    return stripVTControlCharacters(rows.join("\n"));
  };
  assert.match(next("First paragraph.\n\nMore"), /● First paragraph\./);
  assert.match(next("Another one.\n\nMore"), /■ The answer starts over\n\n {2}Another one\./);
});

test("a todo list is pinned while its run is active, and the whole session shows its items", () => {
  const conversation = withStep({ answeredAt: 1, calls: [todoCall] });
  const panel = todoRows(conversation, { look, columns: 80 });
  assert.deepEqual(
    panel.map((row) => stripVTControlCharacters(row)),
    ["Todo 1 of 3 done", "  ☑ Find the rounding", "  ▶ Round in cents", "  ☐ Run the tests"],
  );
  assert.match(lines(conversation, false), /● todo 1 of 3 done$/);
  assert.match(
    lines(conversation, true),
    /● todo 1 of 3 done\n {2}☑ Find the rounding\n {2}▶ Round in cents/,
  );
  assert.deepEqual(panel.slice(1).map(spoken), [
    "  Done: Find the rounding",
    "  Now: Round in cents",
    "  Open: Run the tests",
  ]);
});

test("the todo list of an earlier run is not pinned", () => {
  const conversation = withStep({ answeredAt: 1, calls: [todoCall] });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  putEntry(conversation, {
    kind: "step",
    id: "next",
    runId: "other",
    calls: [],
  } as unknown as StepEntry);
  assert.deepEqual(todoRows(conversation, { look, columns: 80 }), []);
});

test("the whole session shows long lines of an output whole", () => {
  const output = `${"o".repeat(300)}end`;
  const extra = { exitCode: 0 };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const call = { ...todoCall, name: "shell", output, extra } as unknown as CallView;
  const conversation = withStep({ answeredAt: 1, calls: [call] });
  assert.doesNotMatch(lines(conversation, false), /end/);
  assert.match(lines(conversation, true), /oend/);
});
