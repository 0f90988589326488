import assert from "node:assert/strict";
import { test } from "node:test";
import { createCallBook } from "../../../src/cli/terminal/calls.ts";

test("H3 H7 the line of a hosted turn shows its note and the text between the turns", () => {
  const book = createCallBook();
  const input = { agent: "claude", note: "This conversation is a copy.", meanwhile: "still\nhere" };
  book.asked([{ callId: "c", name: "agent", input }]);
  assert.equal(
    book.ended({ callId: "c", status: "completed", content: null }),
    "✓ agent · This conversation is a copy. The agent has started a new session of its own, which begins with the transcript." +
      " · Between the turns, the agent wrote: still here",
  );
});

test("the line of a command shows the command, even if the call names a folder", () => {
  const book = createCallBook();
  const input = { path: "packages/web", command: "npm test" };
  book.asked([{ callId: "c", name: "shell", input }]);
  assert.equal(
    book.ended({ callId: "c", status: "interrupted", content: null }),
    "■ shell npm test interrupted",
  );
});

test("the line of a task shows its prompt", () => {
  const book = createCallBook();
  book.asked([{ callId: "c", name: "task", input: { prompt: "review src\nand test" } }]);
  assert.equal(
    book.ended({ callId: "c", status: "interrupted", content: null }),
    "■ task review src and test interrupted",
  );
});
