import { execFileSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { startCommand } from "./test-cli.ts";
import type { Running } from "./test-cli.ts";
import { program } from "../support/program.ts";

/** Why tests cannot use a terminal on this machine, or false. */
export const noTerminal = hasScript()
  ? false
  : "script(1) of util-linux, which makes a terminal, is not installed";

/** Starts a command at a terminal. Text written to its stdin is typed there. */
export function startAtTerminal(
  words: string,
  options: { folder: string; environment?: Record<string, string> },
): Running {
  // With exec: a shell that waited for the program would end with 130 after Ctrl-C.
  const code = `
    const { spawnSync } = require("node:child_process");
    const command = ${JSON.stringify(`exec '${process.execPath}' '${program}' ${words}`)};
    const { status } = spawnSync("script", ["-qec", command, "/dev/null"], { stdio: "inherit" });
    process.exitCode = status;`;
  // With colours even in unattended tests, and without a spinner.
  const environment = { FORCE_COLOR: "1", CI: "1", ...options.environment };
  return startCommand(["--eval", code], { ...options, environment });
}

/** The text without escape codes. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll("\r", "");
}

function hasScript(): boolean {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux");
  } catch {
    return false;
  }
}
