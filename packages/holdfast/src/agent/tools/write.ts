import { z } from "zod";
import { changeFile, changePermission, changeProblem, changeTouches } from "./change.ts";
import type { MakeText } from "./change.ts";
import { keepEndings } from "./replace-text.ts";
import type { Tool } from "./tool.ts";

const input = z.object({
  path: z.string().describe("The file, relative to the session's directory or absolute."),
  content: z.string().describe("The whole new content."),
});

type WriteInput = z.infer<typeof input>;

export const writeTool: Tool<WriteInput> = {
  name: "write",
  description:
    "Writes a whole file: creates a new one, with its parent folders, or replaces one that was read " +
    "in this session. To change a part of a file, use edit. A replaced file keeps its line endings.",
  input,
  example: { path: "docs/notes.md", content: "# Notes\n" },
  repeatable: false,
  parallel: false,
  permission: ({ path, content }, context) => changePermission(path, makeWith(content), context),
  problem: ({ path, content }, context) => changeProblem(path, makeWith(content), context),
  touches: ({ path }, context) => changeTouches(path, context),
  run: ({ path, content }, context) => changeFile(path, makeWith(content), context),
};

function makeWith(content: string): MakeText {
  return (before) => ({
    status: "made",
    text: before === null ? content : keepEndings(content, before),
  });
}
