import { printable } from "./printable.ts";

/** Splits the streaming output of tool calls into lines. */
export interface ToolOutput {
  take(callId: string, text: string): void;
  /** Prints the last line, which has no line break. */
  end(callId: string): void;
}

/** Maximum length of a printed line. The log has the whole line. */
const longest = 500;

export function createToolOutput(print: (line: string) => void): ToolOutput {
  const open = new Map<string, string>();
  const show = (line: string): void => {
    if (line.trim() !== "") print(printable(line.trimEnd()).slice(0, longest));
  };
  return {
    take: (callId, text) => {
      const lines = ((open.get(callId) ?? "") + text).split("\n");
      open.set(callId, lines.pop() ?? "");
      for (const line of lines) show(line);
    },
    end: (callId) => {
      show(open.get(callId) ?? "");
      open.delete(callId);
    },
  };
}
