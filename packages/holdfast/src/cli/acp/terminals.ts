import type { ToolContent } from "@holdfast/sdk";
import { fieldsOf } from "../../base/json-rpc.ts";
import type { ToolCall } from "./protocol.ts";

/**
 * Shows commands as terminals in editors that have `terminal_output` among their capabilities, as Zed has. The editor
 * runs nothing: it displays the bytes that it gets. Other editors get the output as text.
 */
export interface Terminals {
  opened(toolCallId: string): Pick<ToolCall, "content" | "_meta">;
  /** Returns the new part of the output; null if there is none. */
  grown(toolCallId: string, output: string): Pick<ToolCall, "_meta"> | null;
  ended(toolCallId: string, content: ToolContent | null): Pick<ToolCall, "_meta">;
}

export function offersTerminals(clientCapabilities: unknown): boolean {
  return fieldsOf(fieldsOf(clientCapabilities)["_meta"])["terminal_output"] === true;
}

export function createTerminals(directory: string): Terminals {
  const shown = new Map<string, string>();
  const add = (toolCallId: string, output: string): object => {
    const before = shown.get(toolCallId) ?? "";
    shown.set(toolCallId, output);
    // If a call is repeated after a crash, its output starts on a new line, because terminal text cannot be removed.
    const text = output.startsWith(before) ? output.slice(before.length) : `\n${output}`;
    if (text === "") return {};
    // Terminals need a carriage return to start a line.
    const data = text.replace(/\r?\n/g, "\r\n");
    return { terminal_output: { terminal_id: toolCallId, data } };
  };
  return {
    opened: (toolCallId) => ({
      content: [{ type: "terminal", terminalId: toolCallId }],
      _meta: { terminal_info: { terminal_id: toolCallId, cwd: directory } },
    }),
    grown: (toolCallId, output) => {
      const added = add(toolCallId, output);
      return Object.keys(added).length === 0 ? null : { _meta: added };
    },
    ended: (toolCallId, content) => {
      const { output = "", extra = null } = content ?? {};
      const { exitCode } = fieldsOf(extra);
      const before = shown.get(toolCallId) ?? "";
      // Add nothing if the result does not continue the shown output: the result may be cut in the middle.
      const rest = before === "" || output.startsWith(before) ? add(toolCallId, output) : {};
      shown.delete(toolCallId);
      const code = typeof exitCode === "number" ? exitCode : null;
      const exit = { terminal_id: toolCallId, exit_code: code, signal: null };
      return { _meta: { ...rest, terminal_exit: exit } };
    },
  };
}
