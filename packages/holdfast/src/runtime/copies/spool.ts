import { randomUUID } from "node:crypto";
import { readSync } from "node:fs";
import { open, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Body } from "../../store/store.ts";

/** A private file without a name: the system removes it when it is closed or the process ends. */
export interface Spool {
  /** The file's descriptor. */
  readonly file: number;
  write(piece: Uint8Array): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A body's place in a spool. */
export interface SpooledBody {
  readonly hash: string;
  readonly start: number;
  readonly length: number;
}

export async function openSpool(folder: string): Promise<Spool> {
  const path = join(folder, `.holdfast-import-${randomUUID()}`);
  const handle = await open(path, "wx+", 0o600);
  await unlink(path);
  return {
    file: handle.fd,
    write: async (piece) => {
      await handle.write(piece);
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** The body with its content still in the file: every look at `content` reads the file. */
export function bodyInSpool(file: number, { hash, start, length }: SpooledBody): Body {
  return {
    hash,
    get content() {
      const content = Buffer.allocUnsafeSlow(length);
      for (let read = 0; read < length;) {
        const count = readSync(file, content, {
          offset: read,
          length: length - read,
          position: start + read,
        });
        if (count === 0) throw new Error(`content ${hash} ends early in its temporary file`);
        read += count;
      }
      return content;
    },
  };
}
