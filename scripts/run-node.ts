import { spawn } from "node:child_process";

/** Runs the current Node with the given arguments in this terminal. Returns the exit code. */
export function runNode(args: string[]): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, ...args], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => child.kill(signal));
  }
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => done(code ?? 1));
  });
}
