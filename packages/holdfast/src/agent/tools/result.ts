import { FileProblem } from "./files.ts";
import { reasonOf, shown } from "./paths.ts";
import type { ToolExtra, ToolResult } from "./tool.ts";

export function completed(output: string, extra?: ToolExtra): ToolResult {
  return extra === undefined
    ? { status: "completed", output }
    : { status: "completed", output, extra };
}

export function failed(output: string, extra?: ToolExtra): ToolResult {
  return extra === undefined ? { status: "failed", output } : { status: "failed", output, extra };
}

/** Converts a file error to a tool result. Throws all other errors, because they are bugs. */
export function fileFailure(path: string, error: unknown, signal: AbortSignal): ToolResult {
  if (signal.aborted) return failed("The run stopped before the call ended.");
  if (error instanceof FileProblem) return failed(`${shown(path)}: ${error.message}`);
  if (error instanceof Error && "syscall" in error) {
    return failed(`${shown(path)}: ${reasonOf(error)}`);
  }
  throw error;
}

/** Shortens a text to its beginning and end, with a note between them. */
export function capText(
  text: string,
  max: number,
): { readonly text: string; readonly truncated: boolean } {
  if (text.length <= max) return { text, truncated: false };
  const head = Math.ceil(max / 2);
  const tail = max - head;
  const left = text.length - max;
  const end = tail === 0 ? "" : text.slice(-tail);
  return {
    text: `${text.slice(0, head)}\n[... ${left} characters left out ...]\n${end}`,
    truncated: true,
  };
}
