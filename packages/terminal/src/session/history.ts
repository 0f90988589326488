import { appendFile, chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Prompts that were typed earlier, in all sessions. Only the owner can read the file. */
export interface History {
  /** Reads the prompts that were typed earlier, newest first. */
  load(): Promise<readonly string[]>;
  add(text: string): Promise<void>;
}

const keptEntries = 1_000;
/** Longer prompts, such as pasted logs, are not kept. */
const longestEntry = 20_000;

export function openHistory(file: string): History {
  let writes = Promise.resolve();
  const append = async (text: string): Promise<void> => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await appendFile(file, `${JSON.stringify({ at: Date.now(), text })}\n`, { mode: 0o600 });
  };
  return {
    load: async () => {
      const entries = readEntries(await readFile(file, "utf8").catch(() => ""));
      if (entries.length > 2 * keptEntries) await shorten(file, entries.slice(-keptEntries));
      return entries.slice(-keptEntries).toReversed();
    },
    add: (text) => {
      if (text.length > longestEntry) return writes;
      // Ignore write errors: the client works without a history.
      writes = writes.then(() => append(text)).catch(() => {});
      return writes;
    },
  };
}

function readEntries(content: string): string[] {
  return content.split("\n").flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line);
      const isEntry = typeof entry === "object" && entry !== null && "text" in entry;
      return isEntry && typeof entry.text === "string" ? [entry.text] : [];
    } catch {
      return [];
    }
  });
}

async function shorten(file: string, entries: readonly string[]): Promise<void> {
  const next = `${file}.${process.pid}`;
  const lines = entries.map((text) => `${JSON.stringify({ at: 0, text })}\n`).join("");
  try {
    await writeFile(next, lines, { mode: 0o600 });
    await chmod(next, 0o600);
    await rename(next, file);
  } catch {
    // Ignore the error: the history file stays long, and the client tries to shorten it again at the next start.
  }
}
