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
 * Says what of a directory's config is mistyped, or left out because nobody has trusted it. Nothing
 * waits for this, and who may not look hears nothing.
 */
export async function tellNotices(
  holdfast: Holdfast,
  { directory, lines, signal }: { directory: string; lines: Lines; signal: AbortSignal },
): Promise<void> {
  try {
    const { notices } = await holdfast.workspaces.get(directory, { signal, patience: 0 });
    const warnings = notices.filter(({ severity }) => severity === "warning");
    for (const notice of warnings.slice(0, shown)) {
      lines.note(onStderr("yellow", noticeLine(notice)));
    }
    const more = warnings.length - shown;
    if (more > 0) lines.note(`and ${more} more; \`holdfast config --check\` shows all`);
  } catch {
    // The run itself says what keeps it from working.
  }
}

const shown = 5;
