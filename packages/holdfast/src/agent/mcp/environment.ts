import { isNetworkSetting } from "../tools/environment.ts";

/** Environment variables that most programs need. None of them is secret. */
const passedOn = new Set([
  "HOME",
  "LANG",
  "LANGUAGE",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TMPDIR",
  "TZ",
  "USER",
]);

/** Builds the environment of an MCP server's process: a few of Holdfast's own variables, and the configured ones. */
export function serverEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && isPassed(name, value) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(kept), TERM: "dumb", NO_COLOR: "1", ...given };
}

function isPassed(name: string, value: string): boolean {
  return passedOn.has(name) || name.startsWith("LC_") || isNetworkSetting(name, value);
}
