import assert from "node:assert/strict";
import { test } from "node:test";
import { readInput } from "../../../src/agent/coding/read-input.ts";
import { editTool } from "../../../src/agent/tools/edit.ts";
import { readTool } from "../../../src/agent/tools/read.ts";
import type { Tool } from "../../../src/agent/tools/tool.ts";
import { writeTool } from "../../../src/agent/tools/write.ts";

const [edit, read, write]: Tool[] = [editTool, readTool, writeTool];

function given(tool: Tool, input: unknown): unknown {
  return readInput(tool, input).data;
}

test("quoted lists, numbers and booleans are decoded if the schema expects them, and texts are not", () => {
  assert.ok(edit !== undefined && read !== undefined && write !== undefined);
  const edits = [{ old: "a", new: "[1]", all: true }];
  assert.deepEqual(given(edit, { path: "x", edits: JSON.stringify(edits) }), { path: "x", edits });
  assert.deepEqual(given(edit, { path: "x", edits: [{ old: "a", new: "[1]", all: "true" }] }), {
    path: "x",
    edits,
  });
  assert.deepEqual(given(read, { path: "7", limit: "20" }), { path: "7", limit: 20 });
  assert.deepEqual(given(write, { path: "x.json", content: "[1]" }), {
    path: "x.json",
    content: "[1]",
  });
  // Input that still does not match is reported unchanged.
  assert.match(
    String(readInput(read, { path: "x", limit: "many" }).error),
    /expected number, received string/,
  );
});
