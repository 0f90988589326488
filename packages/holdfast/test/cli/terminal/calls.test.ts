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
