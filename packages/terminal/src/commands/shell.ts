import { spawn } from "node:child_process";
import type { Client } from "../client.ts";
import type { Look } from "../screen/look.ts";
import { fit, indent, oneLine } from "../screen/text.ts";
import { outputRows } from "../transcript/call-card.ts";

const longestOutput = 30_000;
const timeLimit = 10 * 60_000;
/** Number of output lines that a running command shows. */
const liveLines = 6;

/** A command of the user that runs in the user's own shell. */
export interface RunningShell {
  readonly command: string;
  readonly output: string;
  /** Ends the command and all processes that it started. The second call kills them. */
  stop(): void;
}

/**
 * Runs a command in the user's own shell and shows its output. Adds the command and its output to the conversation, so
 * that the model sees them, but requests no answer.
 */
export async function runShell(client: Client, command: string): Promise<void> {
  if (client.shell !== null) return client.say("Another command is running. Esc stops it");
  // The output belongs to the session in which the command was typed.
  const destination = client.destination();
  const { output, end } = await outputOf(command, client);
  client.shell = null;
  const { look } = client;
  const { columns } = client.screen;
  client.screen.print([
    "",
    head(command, look),
    ...outputRows(output, { look, columns, isWhole: false, limit: 20 }).map((row) => `  ${row}`),
    ...(end === "exit code 0" ? [] : [`  ${look.bad(end)}`]),
  ]);
  client.changed();
  const kept = output.length > longestOutput ? `…${output.slice(-longestOutput)}` : output;
  const text = `I ran \`${command}\` in my shell (${end}). Its output:\n\n${kept}`;
  client.outbox.note(text, destination);
  return undefined;
}

/** Returns the rows of the running command: the end of its output, and the key that stops it. */
export function shellRows({ shell, look, screen }: Client): string[] {
  if (shell === null) return [];
  const { columns } = screen;
  const rows = outputRows(shell.output, { look, columns, isWhole: false, limit: liveLines });
  return [
    "",
    fit(`${head(shell.command, look)}${look.dim(" · Esc stops")}`, columns),
    ...indent(rows.slice(-liveLines), "  "),
  ];
}

function head(command: string, look: Look): string {
  return `${look.accent("!")} ${look.bold(oneLine(command))}`;
}

function outputOf(command: string, client: Client): Promise<{ output: string; end: string }> {
  return new Promise((resolve) => {
    const shell = client.options.environment["SHELL"] ?? "/bin/sh";
    const child = spawn(shell, ["-c", command], {
      cwd: client.directory,
      env: client.options.environment,
      stdio: ["ignore", "pipe", "pipe"],
      // A process group of its own, so that all processes of the command can be stopped.
      detached: true,
    });
    let output = "";
    let stops = 0;
    const stop = (): void => {
      stops += 1;
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, stops === 1 ? "SIGTERM" : "SIGKILL");
      } catch {
        // The processes have ended.
      }
    };
    const timer = setTimeout(stop, timeLimit);
    client.shell = {
      command,
      stop,
      get output() {
        return output;
      },
    };
    client.changed();
    const finish = (result: { output: string; end: string }): void => {
      clearTimeout(timer);
      resolve(result);
    };
    const take = (chunk: string): void => {
      output = (output + chunk).slice(-4 * longestOutput);
      client.changed();
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    child.once("error", (error) => finish({ output: error.message, end: "not started" }));
    child.once("close", (code, signal) =>
      finish({ output, end: signal === null ? `exit code ${code}` : `ended by ${signal}` }),
    );
  });
}
