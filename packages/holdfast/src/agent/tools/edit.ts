import { z } from "zod";
import { changeFile, changePermission, changeProblem, changeTouches } from "./change.ts";
import type { MakeText } from "./change.ts";
import { replaceText } from "./replace-text.ts";
import type { TextEdit } from "./replace-text.ts";
import type { Tool } from "./tool.ts";

const input = z.object({
  path: z.string().describe("The file, relative to the session's directory or absolute."),
  edits: z
    .array(
      z.object({
        old: z.string().describe("The exact text to replace, without line numbers."),
        new: z.string().describe("The replacement text."),
        all: z.boolean().optional().describe("Replace every occurrence instead of the only one."),
      }),
    )
    .min(1)
    .max(100)
    .describe(
      "Applied in order, each to the result of the previous one. Either all are applied or none.",
    ),
});

type EditInput = z.infer<typeof input>;

export const editTool: Tool<EditInput> = {
  name: "edit",
  description:
    "Replaces exact pieces of text in a file that was read in this session. Each old text must occur " +
    "once, unless all is set. If one edit does not match, none is made. Write line ends as line feeds; " +
    "the file keeps its own. Fails if the file has changed since it was last read.",
  input,
  example: { path: "src/server.ts", edits: [{ old: "port = 80", new: "port = 8080" }] },
  repeatable: false,
  parallel: false,
  permission: ({ path, edits }, context) => changePermission(path, makeWith(edits), context),
  problem: ({ path, edits }, context) => changeProblem(path, makeWith(edits), context),
  touches: ({ path }, context) => changeTouches(path, context),
  run: ({ path, edits }, context) => changeFile(path, makeWith(edits), context),
};

function makeWith(edits: readonly TextEdit[]): MakeText {
  return (before) => {
    if (before === null) return { status: "refused", message: "it does not exist" };
    const replaced = replaceText(before, edits);
    if (replaced.status === "refused") return replaced;
    return { status: "made", text: replaced.text };
  };
}
