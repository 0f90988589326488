import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, open, readlink, rename, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createKeyedMutex } from "../../base/serial.ts";
import { isMissing, makeFolder } from "../../base/folders.ts";

export interface FileContent {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number };
}

/** Thrown if a file operation is not possible. The message is for the model. */
export class FileProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FileProblem";
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Opens a regular file by its real path. Does not block on a pipe or device, and does not follow a link that replaced
 * the file or a parent folder after the path was resolved.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new FileProblem("it is a folder, not a file");
    if (!stat.isFile()) throw new FileProblem("it is not a regular file");
    await expectRealPath(handle, path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads a whole file up to the size limit. Returns null if the file does not exist. */
export async function readWhole(path: string, maxBytes: number): Promise<FileContent | null> {
  let handle: FileHandle;
  try {
    handle = await openRegular(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    const { size, mode, uid, gid } = await handle.stat();
    if (size > maxBytes) throw new FileProblem(`it has ${size} bytes; the limit is ${maxBytes}`);
    const bytes = await readUpTo(handle, maxBytes + 1);
    if (bytes.length > maxBytes) throw new FileProblem(`it is larger than ${maxBytes} bytes`);
    return { bytes, hash: hashOf(bytes), mode: mode & 0o7777, owner: { uid, gid } };
  } finally {
    await handle.close();
  }
}

/**
 * Writes a file atomically: readers see the old or the new content, never a part. `before`: the content that the file
 * must still have; null: the file must not exist yet. Otherwise throws and changes nothing.
 */
export async function putFile(options: {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly before: FileContent | null;
  /** Called immediately before the file is replaced. If it throws, nothing changes. */
  readonly onPut?: () => void;
}): Promise<void> {
  const { path, bytes, before, onPut } = options;
  await writers.run(path, async () => {
    const parent = dirname(path);
    await makeFolder(parent);
    const folder = await holdFolder(parent);
    const temporary = join(folder.path, `.holdfast-${randomUUID()}.tmp`);
    const target = join(folder.path, basename(path));
    try {
      await writeNew(temporary, bytes, before);
      if (before === null) {
        onPut?.();
        // Unlike a rename, a link fails if another process has already created the file.
        await link(temporary, target);
        return;
      }
      const now = await readWhole(path, before.bytes.length).catch(() => null);
      if (now?.hash !== before.hash) throw changed();
      onPut?.();
      await rename(temporary, target);
    } catch (error) {
      if (before === null && isCode(error, "EEXIST")) throw changed();
      throw error;
    } finally {
      // Ignore the error: after a rename the temporary file no longer exists.
      await unlink(temporary).catch(() => {});
      await folder.release();
    }
  });
}

function changed(): FileProblem {
  return new FileProblem("it was changed by another program just now; read it again");
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

async function writeNew(
  path: string,
  bytes: Uint8Array,
  before: FileContent | null,
): Promise<void> {
  const handle = await open(path, "wx", before === null ? 0o666 : 0o600);
  try {
    await handle.writeFile(bytes);
    if (before !== null) {
      // Ignore the error: only root may change the owner. Otherwise the file belongs to the current user.
      await handle.chown(before.owner.uid, before.owner.gid).catch(() => {});
      await handle.chmod(before.mode);
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/**
 * Opens a folder and returns a path through its file descriptor, so that replacing the folder with a link has no
 * effect.
 */
async function holdFolder(path: string): Promise<{ path: string; release(): Promise<void> }> {
  const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
  try {
    const exact = await expectRealPath(handle, path);
    return {
      path: exact ? `/proc/self/fd/${handle.fd}` : path,
      release: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Throws if the opened file is not at this path any more. Returns false if the system cannot tell. */
async function expectRealPath(handle: FileHandle, path: string): Promise<boolean> {
  const real = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null);
  if (real === null) return false;
  if (real !== path) throw new FileProblem("its path changed just now; try again");
  return true;
}

async function readUpTo(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < maxBytes) {
    const buffer = Buffer.allocUnsafe(Math.min(65_536, maxBytes - length));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(chunks, length);
}

/** Locks by path, so that writes of this process to the same path run one after the other. */
const writers = createKeyedMutex();
