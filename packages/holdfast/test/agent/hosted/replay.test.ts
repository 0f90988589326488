import assert from "node:assert/strict";
import { test } from "node:test";
import type { PastTurn, TurnMode } from "../../../src/agent/hosted/past-turns.ts";
import { continuationStart } from "../../../src/agent/hosted/prompt-blocks.ts";
import { replayHolds } from "../../../src/agent/hosted/replay.ts";
import type { Update } from "../../../src/agent/hosted/updates.ts";

function turns(...sent: readonly (string | readonly [TurnMode, string])[]): readonly PastTurn[] {
  return sent.map((entry, index) => {
    const [mode, text] = typeof entry === "string" ? (["prompt", entry] as const) : entry;
    const ids = { callId: `c${index}`, runId: "r", session: "s", prompts: [] };
    return { ...ids, mode, text, status: null, calls: [] };
  });
}

/** User messages are strings; an answer of the agent is `null`. */
function replay(...messages: readonly (string | null)[]): readonly Update[] {
  return messages.map((text) =>
    text === null ? { type: "text", text: "an answer" } : { type: "user", text },
  );
}

const cases: readonly (readonly [
  name: string,
  replay: readonly Update[],
  turns: readonly PastTurn[],
  holds: boolean,
])[] = [
  ["the last prompt", replay("one", null, "two"), turns("one", "two"), true],
  ["only an earlier prompt", replay("one", null), turns("one", "two"), false],
  ["an earlier prompt with the same words", replay("go on", null), turns("go on", "go"), false],
  ["a repeated prompt once", replay("go", null), turns("go", "go"), false],
  ["a repeated prompt twice", replay("go", null, "go"), turns("go", "go"), true],
  ["a prompt with words around it", replay("<time>\n go  now </time>"), turns("go now"), true],
  ["two prompts that were sent together", replay("one[image]two"), turns("one\ntwo"), true],
  ["a prompt in parts", replay("first ", "second"), turns("first second"), true],
  ["a prompt without text", replay("one", null, "[image]"), turns("one", ""), true],
  ["no prompt without text", replay("one", null), turns("one", ""), false],
  ["a prompt that was sent again", replay("go"), turns("go", ["resend", "go"]), true],
  [
    "a prompt and its continuation",
    replay("go", `${continuationStart} Continue.`),
    turns("go", ["continue", ""]),
    true,
  ],
  [
    "a continuation without its prompt",
    replay("one", null, `${continuationStart} The request was: go`),
    turns("one", "go", ["continue", ""]),
    false,
  ],
  ["nothing", [], turns("go"), false],
];

for (const [name, history, past, holds] of cases) {
  test(`H2 a history with ${name} ${holds ? "contains" : "does not contain"} the last prompt`, () => {
    assert.equal(replayHolds(history, past), holds);
  });
}
