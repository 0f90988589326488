import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import type { Writable } from "node:stream";
import { expectStreams } from "../../base/spawned.ts";
import { signalGroup } from "./processes.ts";

/** A shell that kills marked processes when this process ends, even if this process was killed. */
export interface Keeper {
  /** Tells the helper shell to kill this process group too. */
  follow(group: number): void;
  /** Ends the shell without killing anything. */
  end(): void;
}

/**
 * The shell waits until its stdin closes, which happens when this process ends. It then kills the process group and all
 * processes with the marker variable in their environment, because children may have left the group. It searches until
 * three searches in a row find nothing: a process may have started another one just before it was killed, and a process
 * that is just starting does not have its variables yet.
 */
const script = `trap '' INT TERM HUP
read -r group
read -r _
[ -z "$group" ] || kill -s KILL -- -"$group"
searches=0
empty=0
while [ "$empty" -lt 3 ] && [ "$searches" -lt 50 ]; do
  [ "$searches" -eq 0 ] || sleep 0.1
  searches=$((searches + 1))
  empty=$((empty + 1))
  for file in $(grep -lF -- "$1" /proc/[0-9]*/environ); do
    empty=0
    pid=\${file#/proc/}
    kill -s KILL "\${pid%/environ}"
  done
done`;

/**
 * Starts a shell that kills processes when this process ends. Call this before they start, so that they never run
 * without this shell. `mark` is the environment variable, as NAME=VALUE, that identifies the processes.
 */
export function startKeeper(mark: string): Keeper {
  let shell;
  try {
    shell = expectStreams(startShell(mark));
  } catch {
    // Ignore a shell that cannot start. Without the shell, processes can survive a crash of Holdfast. Holdfast ends
    // such processes when it starts again: it finds them by their marker environment variable.
    return { follow: () => {}, end: () => {} };
  }
  // Node reports some failed starts later, as an event. Ignore them too.
  shell.on("error", () => {});
  // Ignore errors of the pipe: another process may have killed the shell already.
  shell.stdin.on("error", () => {});
  shell.unref();
  return {
    follow: (group) => void shell.stdin.write(`${group}\n`),
    end: () => {
      if (shell.pid !== undefined) signalGroup(shell.pid, "SIGKILL");
    },
  };
}

function startShell(mark: string): ChildProcessByStdio<Writable, null, null> {
  return spawn("/bin/sh", ["-c", script, "sh", mark], {
    stdio: ["pipe", "ignore", "ignore"],
    // Omit the other variables, because other processes of the user can read them in /proc.
    env: { PATH: process.env["PATH"] },
    detached: true,
  });
}
