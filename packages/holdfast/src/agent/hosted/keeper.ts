import { spawn } from "node:child_process";
import { signalGroup } from "../tools/processes.ts";

/** A shell that kills the processes of an agent when this process ends, even if this process was killed. */
export interface Keeper {
  /** Tells the helper shell which process group to kill when this process ends: the group of the agent. */
  follow(group: number): void;
  /** Ends the shell without killing the agent. */
  end(): void;
}

/**
 * The shell waits until its stdin closes, which happens when this process ends. It then kills the process group and all
 * processes with the marker variable in their environment, because children of the agent may have left the group. It
 * searches several times, because a process may have started another one just before it was killed.
 */
const script = `trap '' INT TERM HUP
read -r group
read -r _
[ -z "$group" ] || kill -s KILL -- -"$group"
for round in 1 2 3 4 5; do
  files=$(grep -lF -- "$1" /proc/[0-9]*/environ)
  [ -n "$files" ] || exit 0
  for file in $files; do
    pid=\${file#/proc/}
    kill -s KILL "\${pid%/environ}"
  done
done`;

/**
 * Starts a shell that kills the agent's processes when this process ends. Call this before the agent starts, so that
 * the agent never runs without this shell. `mark` is the environment variable, as NAME=VALUE, that identifies the
 * agent's processes.
 */
export function startKeeper(mark: string): Keeper {
  const shell = spawn("/bin/sh", ["-c", script, "sh", mark], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Ignore a shell that cannot start. Without the shell, agents can survive a crash of Holdfast. Holdfast ends such
  // agents when it starts again: it finds them by their marker environment variable.
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
