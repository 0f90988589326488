import assert from "node:assert/strict";
import { test } from "node:test";
import type { WireEvent } from "@holdfast/sdk";
import { emptyConversation } from "../src/model/conversation.ts";
import type { Conversation, Entry } from "../src/model/conversation.ts";
import { takeEvent } from "../src/model/take-event.ts";
import { unknownPrompts } from "../src/model/take-prompt.ts";
import { cancelled, completed, eventMaker } from "./support/events.ts";

function fold(events: readonly WireEvent[]): Conversation {
  const conversation = emptyConversation();
  for (const event of events) takeEvent(conversation, event);
  return conversation;
}

/** Text form of an entry, to compare with. */
function told(entry: Entry): string {
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

function story(events: readonly WireEvent[]): readonly string[] {
  return fold(events).entries.map(told);
}

test("a prompt is shown where its run begins, and waiting ones are not in the conversation yet", () => {
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
  assert.deepEqual(story(events), ["prompt first: completed", "step 1: one"]);
  assert.deepEqual(story([...events, started("r2", "b")]), [
    "prompt first: completed",
    "step 1: one",
    "prompt second: open",
  ]);
});

test("a steered prompt stands where it joined the run (L6), and one that returns waits again", () => {
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
  assert.deepEqual(story(events), [
    "prompt first: open",
    "step 1: one",
    "prompt more: open (joined)",
    "step 2: ",
  ]);
  const returned = make("prompt.returned", { promptId: "b", runId: "r", content: null });
  assert.deepEqual(story([...events, returned]), ["prompt first: open", "step 1: one", "step 2: "]);
});

test("every covered prompt shows as cancelled, also one that never started (C2)", () => {
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
  assert.deepEqual(story(events), [
    "prompt first: cancelled",
    "step 1: one k1=interrupted k2=cancelled",
    "notice cancelled",
    "prompt second: cancelled",
  ]);
});

test("a call in doubt says so (R2), and a resumed run goes on below a notice", () => {
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
  assert.deepEqual(story(events), [
    "prompt first: open",
    "step 1: one k=inDoubt k2=interrupted",
    "notice resumed",
  ]);
});

test("what a call has shown the model stands with it, and where it can be had", () => {
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

test("a run says what it began without, and what it was taken up again without", () => {
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

test("a log that begins in the middle knows what it does not know", () => {
  const { answered, settled, ended, started, opened } = eventMaker(500);
  const events = [
    answered("r1", 3, "three"),
    settled("old", completed("r1")),
    ended("r1", completed("r1")),
    started("r2", "waited"),
    opened("r2", 1),
  ];
  assert.deepEqual(story(events), ["step 3: three", "prompt ?: open", "step 1: "]);
  assert.deepEqual(unknownPrompts(fold(events)), ["waited"]);
});

test("an entry that changes is a new object, and the others stay the same", () => {
  const { accepted, started, opened, answered } = eventMaker();
  const conversation = fold([accepted("a", "first"), started("r", "a"), opened("r", 1)]);
  const [prompt, step] = conversation.entries;
  takeEvent(conversation, answered("r", 1, "one"));
  assert.equal(conversation.entries[0], prompt);
  assert.notEqual(conversation.entries[1], step);
});
