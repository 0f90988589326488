import type { Holdfast, Notice } from "@holdfast/sdk";
import type { Lines } from "./lines.ts";
import { printable } from "./printable.ts";
import { onStderr } from "./style.ts";

/** `file:line:column: severity: key: what is wrong`, as editors and people know it. */
export function noticeLine({ severity, file, line, column, key, message }: Notice): string {
  const place = [file, line, column].filter((part) => part !== null).join(":");
  const parts = [place, severity, key ?? "", message].filter((part) => part !== "");
  return printable(parts.join(": "));
}

/**
 * Says what of a directory's config is mistyped, does not start, or is left out because nobody has
 * trusted it. Nothing waits for this.
 */
export async function tellNotices(
  holdfast: Holdfast,
  { directory, lines, signal }: { directory: string; lines: Lines; signal: AbortSignal },
): Promise<void> {
  try {
    const options = { signal, patience: 0 };
    const { notices, generation } = await holdfast.workspaces.get(directory, options);
    // Where nothing can be loaded at all, the run says so itself.
    if (generation === null) return;
    for (const notice of notices.slice(0, shown)) {
      lines.note(onStderr("yellow", noticeLine(notice)));
    }
    const more = notices.length - shown;
    if (more > 0) lines.note(`and ${more} more; \`holdfast config --check\` shows all`);
  } catch {
    // Who may not look, or has gone, misses nothing that the run would not say.
  }
}

const shown = 5;
