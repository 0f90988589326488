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
  options: {
    readonly directory: string;
    readonly lines: Lines;
    readonly signal: AbortSignal;
    /** False: the prompt does not use the default model, so problems of that model are not printed. */
    readonly usesDefaultModel: boolean;
  },
): Promise<void> {
  const { directory, lines, signal, usesDefaultModel } = options;
  try {
    const workspace = await holdfast.workspaces.get(directory, { signal, patience: 0 });
    // No config could be loaded. The run itself reports this problem.
    if (workspace.generation === null) return;
    const notices = workspace.notices.filter(
      (notice) => usesDefaultModel || !isAboutDefaultModel(notice),
    );
    for (const notice of notices.slice(0, shown)) {
      lines.note(onStderr("yellow", noticeLine(notice)));
    }
    const more = notices.length - shown;
    if (more > 0) lines.note(`and ${more} more; \`holdfast config --check\` shows all`);
  } catch {
    // Ignore the error: the run itself reports serious problems of the config.
  }
}

/** A notice about the key `model` that names a file is about the config, not about the model. */
export function isAboutDefaultModel({ key, file }: Notice): boolean {
  return key === "model" && file === null;
}

const shown = 5;
