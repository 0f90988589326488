import assert from "node:assert/strict";
import { test } from "node:test";
import type { WireEvent } from "@holdfast/sdk";
import { emptyConversation } from "../src/conversation.ts";
import type { Conversation, Entry, Notice } from "../src/conversation.ts";
import { takeEvent } from "../src/take-event.ts";
import { unknownPrompts } from "../src/take-prompt.ts";
import { cancelled, completed, eventMaker } from "./support/events.ts";

function fold(events: readonly WireEvent[]): Conversation {
  const conversation = emptyConversation();
  for (const event of events) takeEvent(conversation, event);
  return conversation;
}

/** Text form of an entry, to compare with. */
function describe(entry: Entry): string {
  switch (entry.kind) {
    case "prompt": {
      const { text, outcome, isTakenIn } = entry.prompt;
      const joined = isTakenIn ? " (joined)" : "";
      return `prompt ${text ?? "?"}: ${outcome?.status ?? "open"}${joined}`;
    }
    case "step": {
      const calls = entry.calls.map(({ callId, status }) => ` ${callId}=${status}`).join("");
      return `step ${entry.step}: ${entry.text}${calls}`;
    }
    case "notice":
      return `notice ${entry.notice.type}`;
    case "ask":
      return `ask ${entry.askId}`;
  }
}

function entriesOf(events: readonly WireEvent[]): readonly string[] {
  return fold(events).entries.map(describe);
}

test("a prompt is shown where its run starts; queued prompts are not in the conversation", () => {
  const { accepted, started, opened, answered, settled, ended } = eventMaker();
  const events = [
    accepted("a", "first"),
    accepted("b", "second"),
    started("r1", "a"),
    opened("r1", 1),
    answered("r1", 1, "one"),
    settled("a", completed("r1")),
    ended("r1", completed("r1")),
  ];
  assert.deepEqual(entriesOf(events), ["prompt first: completed", "step 1: one"]);
  assert.deepEqual(entriesOf([...events, started("r2", "b")]), [
    "prompt first: completed",
    "step 1: one",
    "prompt second: open",
  ]);
});

test("text that a result adds to the last answer becomes a notice", () => {
  const { accepted, started, opened, answered, ended } = eventMaker();
  const noticesFor = (result: string | null): readonly Notice[] =>
    fold([
      accepted("a", "first"),
      started("r1", "a"),
      opened("r1", 1),
      answered("r1", 1, "As far as"),
      ended("r1", completed("r1"), result),
    ]).entries.flatMap((entry) => (entry.kind === "notice" ? [entry.notice] : []));
  const added = { type: "added", runId: "r1", text: "[The answer is cut.]" };
  assert.deepEqual(noticesFor("As far as\n\n[The answer is cut.]"), [added]);
  for (const same of [null, "As far as", "Another text"]) assert.deepEqual(noticesFor(same), []);
});

test("a steered prompt is shown where it joined the run (L6); a returned one waits again", () => {
  const { accepted, started, opened, answered, make } = eventMaker();
  const events = [
    accepted("a", "first"),
    started("r", "a"),
    opened("r", 1),
    accepted("b", "more"),
    answered("r", 1, "one"),
    make("prompt.takenIn", { promptId: "b", runId: "r", content: null }),
    opened("r", 2),
  ];
  assert.deepEqual(entriesOf(events), [
    "prompt first: open",
    "step 1: one",
    "prompt more: open (joined)",
    "step 2: ",
  ]);
  const returned = make("prompt.returned", { promptId: "b", runId: "r", content: null });
  assert.deepEqual(entriesOf([...events, returned]), [
    "prompt first: open",
    "step 1: one",
    "step 2: ",
  ]);
  assert.deepEqual(fold([...events, returned]).runs.get("r")?.promptIds, ["a"]);
});

test("a step that a resumed run repeats is shown below the prompts that joined before it (L6)", () => {
  const { accepted, started, opened, resumed, answered, make } = eventMaker();
  const joined = (promptId: string): WireEvent =>
    make("prompt.takenIn", { promptId, runId: "r", content: null });
  const events = [
    accepted("a", "first"),
    started("r", "a"),
    opened("r", 1),
    accepted("b", "more"),
    accepted("c", "even more"),
    resumed("r"),
    joined("b"),
    joined("c"),
    answered("r", 1, "one"),
  ];
  const { entries, places } = fold(events);
  assert.deepEqual(entries.map(describe), [
    "prompt first: open",
    "notice resumed",
    "prompt more: open (joined)",
    "prompt even more: open (joined)",
    "step 1: one",
  ]);
  assert.deepEqual(
    [...places],
    [...entries.entries()].map(([place, { id }]) => [id, place]),
  );
});

test("every prompt covered by a cancel is shown as cancelled, even if it never started (C2)", () => {
  const {
    accepted,
    started,
    opened,
    answered,
    toolStarted,
    toolEnded,
    settled,
    ended,
    stopping,
    make,
  } = eventMaker();
  const receipt = {
    cancelId: "c",
    mark: 2,
    covered: [
      { promptId: "a", acceptSeq: 1, was: "running" as const, runId: "r" },
      { promptId: "b", acceptSeq: 2, was: "queued" as const, runId: null },
    ],
    work: [],
    children: [],
    background: [],
    tree: false,
  };
  const events = [
    accepted("a", "first"),
    accepted("b", "second"),
    started("r", "a"),
    opened("r", 1),
    answered("r", 1, "one", ["k1", "k2"]),
    toolStarted("r", "k1"),
    make("cancel.committed", { receipt, promptId: null, content: null }),
    settled("b", cancelled(null)),
    stopping("r"),
    toolEnded("r", "k1", "interrupted"),
    toolEnded("r", "k2", "interrupted"),
    settled("a", cancelled("r")),
    ended("r", cancelled("r")),
  ];
  assert.deepEqual(entriesOf(events), [
    "prompt first: cancelled",
    "step 1: one k1=interrupted k2=cancelled",
    "notice cancelled",
    "prompt second: cancelled",
  ]);
});

test("a call in doubt is marked as such (R2), and a resumed run continues below a notice", () => {
  const { accepted, started, resumed, opened, answered, toolStarted, toolEnded } = eventMaker();
  const events = [
    accepted("a", "first"),
    started("r", "a"),
    opened("r", 1),
    answered("r", 1, "one", ["k", "k2"]),
    toolStarted("r", "k"),
    resumed("r"),
    toolEnded("r", "k", "inDoubt"),
    toolEnded("r", "k2", "interrupted"),
  ];
  assert.deepEqual(entriesOf(events), [
    "prompt first: open",
    "step 1: one k=inDoubt k2=interrupted",
    "notice resumed",
  ]);
});

test("files that a call showed to the model are listed with their address", () => {
  const { accepted, started, opened, answered, toolEnded } = eventMaker();
  const files = [{ hash: "h", name: "a.png", mediaType: "image/png", bytes: 3 }];
  const first = [accepted("a", "look"), started("r", "a"), opened("r", 1)];
  const asked = answered("r", 1, "one", ["k", "k2"]);
  const { entries } = fold([...first, asked, toolEnded("r", "k", "completed", files)]);
  assert.deepEqual(
    entries.flatMap((entry) =>
      entry.kind === "step" ? entry.calls.map((call) => [call.files, call.endSeq]) : [],
    ),
    [
      [files, asked.seq + 1],
      [[], null],
    ],
  );
});

test("a run lists the resources missing at its start and at its resume", () => {
  const { accepted, started, resumed } = eventMaker();
  const { entries } = fold([
    accepted("a", "do it"),
    started("r", "a", { without: ["MCP server files"] }),
    resumed("r", { without: ["MCP server web"] }),
  ]);
  assert.deepEqual(
    entries.flatMap((entry) => (entry.kind === "notice" ? [entry.notice] : [])),
    [
      { type: "lacking", runId: "r", without: ["MCP server files"] },
      { type: "resumed", runId: "r", attempt: 2, without: ["MCP server web"] },
    ],
  );
});

test("a log that begins in the middle marks unknown prompts", () => {
  const { answered, settled, ended, started, opened } = eventMaker(500);
  const events = [
    answered("r1", 3, "three"),
    settled("old", completed("r1")),
    ended("r1", completed("r1")),
    started("r2", "waited"),
    opened("r2", 1),
  ];
  assert.deepEqual(entriesOf(events), ["step 3: three", "prompt ?: open", "step 1: "]);
  assert.deepEqual(unknownPrompts(fold(events)), ["waited"]);
});

test("a changed entry is a new object; other entries stay the same objects", () => {
  const { accepted, started, opened, answered } = eventMaker();
  const conversation = fold([accepted("a", "first"), started("r", "a"), opened("r", 1)]);
  const [prompt, step] = conversation.entries;
  takeEvent(conversation, answered("r", 1, "one"));
  assert.equal(conversation.entries[0], prompt);
  assert.notEqual(conversation.entries[1], step);
});
