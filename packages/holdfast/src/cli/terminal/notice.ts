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
 * Prints problems of a directory's config: errors, servers that do not start, untrusted settings.
 * Nothing waits for this.
 */
export async function showNotices(
  holdfast: Holdfast,
  { directory, lines, signal }: { directory: string; lines: Lines; signal: AbortSignal },
): Promise<void> {
  try {
    const options = { signal, patience: 0 };
    const { notices, generation } = await holdfast.workspaces.get(directory, options);
    // If nothing can be loaded, the run itself reports it.
    if (generation === null) return;
    for (const notice of notices.slice(0, shown)) {
      lines.note(onStderr("yellow", noticeLine(notice)));
    }
    const more = notices.length - shown;
    if (more > 0) lines.note(`and ${more} more; \`holdfast config --check\` shows all`);
  } catch {
    // Ignore the error: if notices cannot be read, the run reports everything important.
  }
}

const shown = 5;
