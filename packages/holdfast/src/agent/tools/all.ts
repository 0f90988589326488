import { askUserTool } from "./ask-user.ts";
import { editTool } from "./edit.ts";
import { fetchTool } from "./fetch.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { listTool } from "./list.ts";
import { readTool } from "./read.ts";
import { sendTool } from "./send.ts";
import { createShellTool } from "./shell.ts";
import type { ShellOptions } from "./shell.ts";
import { createTaskTool } from "./task.ts";
import type { TaskAgent } from "./task.ts";
import { todoTool } from "./todo.ts";
import type { Tool } from "./tool.ts";
import { writeTool } from "./write.ts";

/** Returns all built-in tools. */
export function codingTools(
  options: {
    readonly shell?: ShellOptions;
    readonly agents?: readonly TaskAgent[];
    /** Name of the agent for tasks that select none. */
    readonly usual?: string;
  } = {},
): readonly Tool[] {
  return [
    readTool,
    writeTool,
    editTool,
    listTool,
    globTool,
    grepTool,
    createShellTool(options.shell),
    fetchTool,
    todoTool,
    askUserTool,
    createTaskTool(options.agents, options.usual),
    sendTool,
  ];
}
