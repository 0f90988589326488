import { exitCodes } from "../cli-error.ts";

/** Handles closed outputs: a reader such as `head` may stop early, and a terminal may disappear. */
export function watchOutputs(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      const isGone = error.code === "EPIPE" || error.code === "EIO";
      if (!isGone && stream === process.stdout) {
        console.error(`holdfast: output: cannot write to stdout: ${error.message}`);
      }
      if (listeners.size === 0) process.exit(isGone ? exitCodes.ok : exitCodes.failure);
      for (const listener of listeners) listener();
    });
  }
}

const listeners = new Set<() => void>();

/** Registers a listener, for commands that must finish their work even if their output is no longer read. */
export function onOutputGone(listener: () => void): void {
  listeners.add(listener);
}
