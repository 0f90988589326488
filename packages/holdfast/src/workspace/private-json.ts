import { open } from "node:fs/promises";

/** The content of a JSON file that only its owner may write. */
export interface PrivateJson {
  /** Null if the file does not exist or is ignored. */
  readonly content: unknown;
  /** The reason why the file is ignored. Null if it is valid or does not exist. */
  readonly problem: string | null;
}

/** Reads a file that grants permissions. The file is ignored if another user can write to it. */
export async function readPrivateJson(file: string): Promise<PrivateJson> {
  try {
    const handle = await open(file, "r");
    try {
      const { mode, uid } = await handle.stat();
      if (process.getuid !== undefined && uid !== process.getuid() && uid !== 0) {
        return ignored("it belongs to another user; remove it");
      }
      if ((mode & 0o022) !== 0) {
        return ignored(
          `other users can write it; check its content, then run \`chmod 600 ${file}\``,
        );
      }
      return { content: JSON.parse(await handle.readFile("utf8")), problem: null };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : null;
    if (code === "ENOENT") return { content: null, problem: null };
    return ignored(code ?? "it is not valid JSON; remove it");
  }
}

function ignored(problem: string): PrivateJson {
  return { content: null, problem };
}
