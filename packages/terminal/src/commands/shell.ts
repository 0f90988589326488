import { spawn } from "node:child_process";
import type { Client } from "../client.ts";
import { oneLine } from "../screen/text.ts";
import { outputRows } from "../transcript/call-card.ts";

const longestOutput = 30_000;
const timeLimit = 10 * 60_000;

/**
 * Runs a command in the user's own shell and shows its output. Adds the command and its output to the conversation, so
 * that the model sees them, but requests no answer.
 */
export async function runShell(client: Client, command: string): Promise<void> {
  client.say(`Running ${command}`);
  const { output, end } = await outputOf(command, client);
  const { look } = client;
  const { columns } = client.screen;
  client.screen.print([
    "",
    `${look.accent("!")} ${look.bold(oneLine(command))}`,
    ...outputRows(output, { look, columns, isWhole: false, limit: 20 }).map((row) => `  ${row}`),
    ...(end === "exit code 0" ? [] : [`  ${look.bad(end)}`]),
  ]);
  client.hint = null;
  client.changed();
  const kept = output.length > longestOutput ? `…${output.slice(-longestOutput)}` : output;
  client.outbox.note(`I ran \`${command}\` in my shell (${end}). Its output:\n\n${kept}`);
}

function outputOf(command: string, client: Client): Promise<{ output: string; end: string }> {
  return new Promise((resolve) => {
    const shell = client.options.environment["SHELL"] ?? "/bin/sh";
    const child = spawn(shell, ["-c", command], {
      cwd: client.directory,
      env: client.options.environment,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeLimit,
    });
    let output = "";
    const take = (chunk: string): void => {
      output = (output + chunk).slice(-4 * longestOutput);
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    child.once("error", (error) => resolve({ output: error.message, end: "not started" }));
    child.once("close", (code, signal) =>
      resolve({ output, end: signal === null ? `exit code ${code}` : `ended by ${signal}` }),
    );
  });
}
