import { readWhole } from "../../agent/tools/files.ts";
import type { FileContent } from "../../agent/tools/files.ts";

export const maxBytes = 1 << 28;

/**
 * Reads the current content of a file. `trouble`: the reason why an existing file cannot be read. Both are null if
 * there is no file.
 */
export async function readNow(
  path: string,
): Promise<{ now: FileContent | null; trouble: string | null }> {
  try {
    return { now: await readWhole(path, maxBytes), trouble: null };
  } catch (error) {
    return { now: null, trouble: error instanceof Error ? error.message : String(error) };
  }
}

/** Decodes the content of a file as UTF-8. Returns null if the content is not text. */
export function asText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Number of files that are read concurrently: a process can have only a limited number of open files. */
const atOnce = 32;

/** Like Promise.all over `map`, with a limited number of concurrent calls. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let first = 0; first < items.length; first += atOnce) {
    const part = items.slice(first, first + atOnce);
    results.push(...(await Promise.all(part.map((item) => work(item)))));
  }
  return results;
}
