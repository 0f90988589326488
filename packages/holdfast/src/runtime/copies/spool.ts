import { randomUUID } from "node:crypto";
import { open, unlink } from "node:fs/promises";
import { join } from "node:path";

/** What a client sends, kept on disk instead of in memory until it is closed. */
export interface Spool {
  /** The descriptor of a file that has no name any more: it is gone with the process. */
  readonly file: number;
  close(): Promise<void>;
}

/** Writes the pieces to a private file in the folder as they come. */
export async function spool(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  folder: string,
): Promise<Spool> {
  const path = join(folder, `.holdfast-import-${randomUUID()}`);
  const handle = await open(path, "wx+", 0o600);
  try {
    await unlink(path);
    for await (const piece of pieces) await handle.write(piece);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { file: handle.fd, close: () => handle.close() };
}
