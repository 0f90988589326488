import type { Holdfast, Notice } from "@holdfast/sdk";
import type { Lines } from "./lines.ts";
import { printable } from "./printable.ts";
import { onStderr } from "./style.ts";

/** Formats a notice as `file:line:column: severity: key: message`, as compilers do. */
export function noticeLine({ severity, file, line, column, key, message }: Notice): string {
  const place = [file, line, column].filter((part) => part !== null).join(":");
  const words = [place, severity, key ?? "", message].filter((part) => part !== "");
  return printable(words.join(": "));
}

/**
 * Prints problems of a directory's config: errors, MCP servers that do not start, untrusted settings. Call it without
 * waiting for the result.
 */
export async function showNotices(
  holdfast: Holdfast,
  { directory, lines, signal }: { directory: string; lines: Lines; signal: AbortSignal },
): Promise<void> {
  try {
    const options = { signal, patience: 0 };
    const { notices, generation } = await holdfast.workspaces.get(directory, options);
    // No config could be loaded. The run itself reports this problem.
    if (generation === null) return;
    for (const notice of notices.slice(0, shown)) {
      lines.note(onStderr("yellow", noticeLine(notice)));
    }
    const more = notices.length - shown;
    if (more > 0) lines.note(`and ${more} more; \`holdfast config --check\` shows all`);
  } catch {
    // Ignore the error: the run itself reports serious problems of the config.
  }
}

const shown = 5;
