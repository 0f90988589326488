import { exitCodes } from "../cli-error.ts";

/** Somebody who reads the first lines only, as `head` does, has seen enough; a terminal may go away. */
export function watchOutputs(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      const isGone = error.code === "EPIPE" || error.code === "EIO";
      if (!isGone && stream === process.stdout) {
        console.error(`holdfast: output: nothing more could be written: ${error.message}`);
      }
      if (listeners.size === 0) process.exit(isGone ? exitCodes.ok : exitCodes.failure);
      for (const listener of listeners) listener();
    });
  }
}

const listeners = new Set<() => void>();

/** For commands that must not just end when nobody reads them any more, up to their own end. */
export function onOutputGone(listener: () => void): void {
  listeners.add(listener);
}
