import { z } from "zod";
import { completed } from "./result.ts";
import type { Tool } from "./tool.ts";

const input = z.object({
  items: z
    .array(
      z.object({
        text: z.string().min(1).max(500),
        status: z.enum(["open", "active", "done"]),
      }),
    )
    .max(100)
    .describe("The whole list. It replaces the previous one."),
});

type TodoInput = z.infer<typeof input>;

const boxes = { open: "[ ]", active: "[>]", done: "[x]" } as const;

export const todoTool: Tool<TodoInput> = {
  name: "todo",
  description:
    "Keeps a todo list for work with several steps. Pass the whole list each time. Mark an item active " +
    "when you start it and done as soon as it is finished. Not needed for small tasks.",
  input,
  example: {
    items: [
      { text: "Reproduce the bug in a test", status: "done" },
      { text: "Fix parseDate", status: "active" },
      { text: "Run the test suite", status: "open" },
    ],
  },
  repeatable: true,
  // Run these calls one after the other: each call replaces the whole todo list, so the last call of an answer must
  // win.
  parallel: false,
  permission: () => null,
  run: async ({ items }) => {
    const lines = items.map(({ text, status }) => `${boxes[status]} ${text}`);
    return completed(lines.join("\n") || "(the list is empty)", { todo: items });
  },
};
