import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** Styles text for stderr; plain if it is not a terminal or NO_COLOR is set. */
export function onStderr(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stderr });
}

/** Styles text for stdout; plain if it is not a terminal or NO_COLOR is set. */
export function onStdout(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stdout });
}

/** True if stdout has colours. */
export function hasColours(): boolean {
  return onStdout("bold", "x") !== "x";
}

/** Colours a diff. */
export function paintDiff(diff: string, paint: typeof onStderr): string {
  return diff
    .split("\n")
    .map((line) => {
      if (line.startsWith("+++") || line.startsWith("---")) return paint("bold", line);
      if (line.startsWith("+")) return paint("green", line);
      if (line.startsWith("-")) return paint("red", line);
      return line.startsWith("@@") ? paint("cyan", line) : line;
    })
    .join("\n");
}
