import { randomUUID } from "node:crypto";
import { chmod, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../base/folders.ts";
import { writing } from "./unwritable.ts";

/** Writes a file whole or not at all, and nobody else's to read from its first byte on. */
export function writePrivately(file: string, text: string): Promise<void> {
  return writing(file, () => write(file, text));
}

async function write(file: string, text: string): Promise<void> {
  const folder = dirname(file);
  await makeFolder(folder, 0o700);
  const draft = join(folder, `.${randomUUID()}.new`);
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // The umask may have taken the owner's own rights.
    await chmod(draft, 0o600);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
