import assert from "node:assert/strict";
import { test } from "node:test";
import { hostedNote, hostedNoteLines } from "../src/hosted-note.ts";

const copied =
  "This conversation is a copy, so a new session of the agent starts with the transcript.";

test("H3 the note of a hosted turn names the reason for a new session", () => {
  const lost = { note: "The agent lost its session, so a new one starts with the transcript." };
  assert.equal(hostedNote({ name: "agent", input: lost }).note, "lost");
  assert.equal(hostedNote({ name: "agent", input: { note: copied } }).note, "copied");
  assert.deepEqual(hostedNote({ name: "agent", input: { note: "x" } }).note, { text: "x" });
});

test("H7 text between the turns is a line of its own", () => {
  const input = { note: copied, meanwhile: "I am still here" };
  assert.deepEqual(hostedNoteLines(hostedNote({ name: "agent", input })), [
    "This conversation is a copy. The agent has started a new session of its own, which begins with the transcript.",
    "Between the turns, the agent wrote: I am still here",
  ]);
});

test("a call of another tool has no remarks, whatever its input is", () => {
  const input = { note: "x", meanwhile: "y" };
  assert.deepEqual(hostedNote({ name: "shell", input }), { note: null, meanwhile: null });
});
