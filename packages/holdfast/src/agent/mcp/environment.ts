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

/** What a server's process gets to see: little of this program's environment, and what it is given. */
export function serverEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (passedOn.has(entry[0]) || entry[0].startsWith("LC_")),
  );
  return { ...Object.fromEntries(kept), TERM: "dumb", NO_COLOR: "1", ...given };
}
