import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** Colours for stderr; none where that is no terminal or NO_COLOR is set. */
export function onStderr(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stderr });
}

/** Colours for stdout, by the same rule. */
export function onStdout(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stdout });
}

/** Whether stdout has colours. */
export function hasColours(): boolean {
  return onStdout("bold", "x") !== "x";
}

/** A diff as people like to read it. */
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
