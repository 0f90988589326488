import { randomUUID } from "node:crypto";
import { chmod, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "./folders.ts";

/** Writes a file atomically; only its owner can read it. Creates missing directories. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
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
    // The umask may have removed the owner's permissions.
    await chmod(draft, 0o600);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
