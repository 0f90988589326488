import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isMissing, makeFolder } from "./folders.ts";

/** Writes a file atomically; only its owner can read it. Creates missing directories. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  try {
    replaceFile(file, text);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeFolder(dirname(file), 0o700);
    replaceFile(file, text);
  }
}

/** Synchronous, because these files are small and each asynchronous call delays the start of a server. */
function replaceFile(file: string, text: string): void {
  const draft = join(dirname(file), `.${randomUUID()}.new`);
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    // The umask may have removed the owner's permissions.
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
