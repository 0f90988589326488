import type { ChildProcess } from "node:child_process";

/**
 * Returns a process that was just started. Throws if too many files are open: Node then creates no streams for the
 * process, against its types, and emits an error later, which would end this process.
 */
export function expectStreams<Child extends ChildProcess>(child: Child): Child {
  const stdio: unknown = child.stdio;
  if (stdio !== undefined) return child;
  child.on("error", () => {});
  throw new Error("no process can be started, because too many files are open; raise `ulimit -n`");
}
