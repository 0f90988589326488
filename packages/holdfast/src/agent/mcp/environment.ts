import { randomUUID } from "node:crypto";

/** What nothing runs without, and none of it a secret. */
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

/** The name of the variable by which processes of a server are known, also those that left its group. */
export const markName = "HOLDFAST_MCP";

/** What a server's process gets to see: little of this program's environment, and what it is given. */
export function serverEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  given: Readonly<Record<string, string>>,
): { readonly mark: string; readonly variables: Record<string, string> } {
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (passedOn.has(entry[0]) || entry[0].startsWith("LC_")),
  );
  const value = `${process.pid}:${randomUUID()}`;
  const variables = { ...Object.fromEntries(kept), TERM: "dumb", NO_COLOR: "1", ...given };
  return { mark: `${markName}=${value}`, variables: { ...variables, [markName]: value } };
}
