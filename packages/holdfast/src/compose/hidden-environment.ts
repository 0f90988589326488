import { closeSync, readFileSync } from "node:fs";

/** File descriptor through which the restarted program gets the environment variables that may contain keys. */
const descriptor = 3;
const marker = "HOLDFAST_ENVIRONMENT_IN";
const carrier = "HOLDFAST_ENVIRONMENT";

/**
 * Shell script that moves the content of the variable `carrier` to a file descriptor, which can be read only once, and
 * then executes the program.
 */
const script = `exec ${descriptor}<<END
$${carrier}
END
unset ${carrier}
exec "$@"`;

/**
 * Starts this program again in the same process, with only the harmless variables in its environment. The other
 * variables, which may contain keys, are passed through a pipe. Linux shows the environment with which a process was
 * started to all processes of the same user, even if the process deletes a variable later. A sandbox hides it from
 * commands; this function is for machines without a sandbox. Does not return if there is something to hide.
 *
 * Calls `load` while the sandbox is being tested, and returns its result. Loading modules blocks the event loop, so the
 * test starts first.
 */
export async function hideEnvironment<Result>(load: () => Promise<Result>): Promise<Result> {
  if (process.platform !== "linux" || process.execve === undefined || wasHidden) return load();
  const { commandEnvironment } = await import("../agent/tools/environment.ts");
  const open = commandEnvironment(process.env);
  const isOpen = (name: string): boolean => Object.hasOwn(open, name) || name.startsWith("NODE_");
  const shown: Record<string, string> = {};
  const hidden: Record<string, string> = {};
  for (const [name, value = ""] of Object.entries(process.env)) {
    (isOpen(name) ? shown : hidden)[name] = value;
  }
  if (Object.keys(hidden).length === 0) return load();
  const { reportSandbox } = await import("../agent/tools/sandbox/find-sandbox.ts");
  const test = reportSandbox();
  // A missing sandbox is known without a test. Then the program is loaded only once, after the restart.
  const isMissing = (await Promise.race([test, Promise.resolve(null)]))?.sandbox === null;
  if (!isMissing) {
    const [{ sandbox }, loaded] = await Promise.all([test, load()]);
    if (sandbox !== null) return loaded;
  }
  const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const environment = { ...shown, [marker]: String(descriptor), [carrier]: JSON.stringify(hidden) };
  return process.execve("/bin/sh", ["sh", "-c", script, "sh", ...words], environment);
}

let wasHidden = false;

/** Restores the variables that `hideEnvironment` has passed on. Call this before any code reads the environment. */
export function restoreEnvironment(): void {
  if (process.env[marker] !== String(descriptor)) return;
  delete process.env[marker];
  wasHidden = true;
  Object.assign(process.env, JSON.parse(readFileSync(descriptor, "utf8")));
  closeSync(descriptor);
}
