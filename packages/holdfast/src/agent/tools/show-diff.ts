import { createTwoFilesPatch } from "diff";

const contextLines = 3;
const maxEdits = 5_000;
const maxMilliseconds = 1_000;

/**
 * Returns a unified diff of one file. If the texts differ too much to compare in time, only the number of lines
 * is shown.
 */
export function showDiff(options: {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}): string {
  const { path, before, after } = options;
  const oldName = before === null ? "/dev/null" : `a/${path}`;
  const patch = createTwoFilesPatch(
    oldName,
    `b/${path}`,
    before ?? "",
    after,
    undefined,
    undefined,
    {
      context: contextLines,
      maxEditLength: maxEdits,
      timeout: maxMilliseconds,
    },
  );
  if (patch === undefined) {
    const removed = countLines(before ?? "");
    return `--- ${oldName}\n+++ b/${path}\n(${removed} lines replaced by ${countLines(after)})\n`;
  }
  // Remove the separator line before the file names.
  return patch.replace(/^={3,}\n/, "");
}

function countLines(text: string): number {
  return text === "" ? 0 : text.split("\n").length;
}
