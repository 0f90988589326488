import { spawn } from "node:child_process";
import { signalGroup } from "../tools/processes.ts";

/** A shell that kills the processes of an agent when this process ends, even if this process is killed. */
export interface Keeper {
  /** Names the process group of the agent. */
  follow(group: number): void;
  /** Ends the shell without killing the agent. */
  end(): void;
}

/**
 * The shell waits for the end of its stdin, which the system closes with this process. Then the shell kills the process
 * group and all processes with the mark in their environment, because children of the agent may have left the group.
 * Killed processes may have started others a moment before, so the shell searches several times.
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
 * Starts the shell. The shell starts before the agent, so that no moment is left in which nothing would end the agent.
 * The mark has the form NAME=VALUE.
 */
export function startKeeper(mark: string): Keeper {
  const shell = spawn("/bin/sh", ["-c", script, "sh", mark], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Ignore a shell that cannot start: the next start of Holdfast finds abandoned agents by their mark and ends them.
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
