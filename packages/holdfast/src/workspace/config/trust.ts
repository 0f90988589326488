import { createMutex } from "../../base/serial.ts";
import { readPrivateJson } from "../private-json.ts";

/**
 * Stores the privileged settings that a person has trusted in each directory, in a file that only this person can
 * write.
 */
export interface Trust {
  /** Returns the digest of the trusted settings of a directory. Null: none are trusted. */
  get(directory: string): Promise<Trusted>;
  /** Stores the digest. Null: removes the trust. */
  set(directory: string, digest: string | null): Promise<void>;
}

export interface Trusted {
  readonly digest: string | null;
  /** The reason why the trust file is ignored and nothing is trusted. Null if the file is valid. */
  readonly problem: string | null;
}

export function createTrust(file: string): Trust {
  const mutex = createMutex();
  const change = async (directory: string, digest: string | null): Promise<void> => {
    const { entries } = await readEntries(file);
    if (digest === null) entries.delete(directory);
    else entries.set(directory, digest);
    const content = { version: 1, directories: Object.fromEntries(entries) };
    const { writePrivately } = await import("../settings-file.ts");
    await writePrivately(file, `${JSON.stringify(content, null, 2)}\n`);
  };
  const set = async (directory: string, digest: string | null): Promise<void> => {
    const { changePrivateFile } = await import("../change-private-file.ts");
    await changePrivateFile(file, () => change(directory, digest));
  };
  return {
    get: async (directory) => {
      const { entries, problem } = await readEntries(file);
      return { digest: entries.get(directory) ?? null, problem };
    },
    set: (directory, digest) => mutex(() => set(directory, digest)),
  };
}

interface Entries {
  readonly entries: Map<string, string>;
  readonly problem: string | null;
}

async function readEntries(file: string): Promise<Entries> {
  const { content, problem } = await readPrivateJson(file);
  if (problem !== null) return unusable(file, problem);
  if (content === null) return { entries: new Map(), problem: null };
  const directories =
    typeof content === "object" && "directories" in content ? content.directories : null;
  if (typeof directories !== "object" || directories === null) {
    return unusable(file, "it has an unknown format; remove it");
  }
  const entries = Object.entries(directories).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return { entries: new Map(entries), problem: null };
}

function unusable(file: string, reason: string): Entries {
  return { entries: new Map(), problem: `${file} is ignored, so nothing is trusted: ${reason}` };
}
