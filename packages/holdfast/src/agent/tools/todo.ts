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
    .describe("The whole list; it replaces the one before."),
});

type TodoInput = z.infer<typeof input>;

const boxes = { open: "[ ]", active: "[>]", done: "[x]" } as const;

export const todoTool: Tool<TodoInput> = {
  name: "todo",
  description:
    "Keeps a list of what is to be done, for work of several parts. Give the whole list each time. " +
    "Mark an item active when you start it and done as soon as it is. Not needed for small work.",
  input,
  repeatable: true,
  // Two lists at once: the order of the answer decides which one counts.
  parallel: false,
  permission: () => null,
  run: async ({ items }) => {
    const lines = items.map(({ text, status }) => `${boxes[status]} ${text}`);
    return completed(lines.join("\n") || "(the list is empty)", { todo: items });
  },
};
