export interface DiffLine {
  /**
   * `file`: the name of a further file in a diff of several files. `note`: a remark about the line above, such as a
   * missing line break at the end of the file.
   */
  readonly kind: "add" | "remove" | "same" | "hunk" | "file" | "note";
  readonly text: string;
  readonly before: number | null;
  readonly after: number | null;
}

export interface FileDiff {
  /** The path of the first file. */
  readonly path: string;
  /** The paths of all files in the diff, in order. */
  readonly paths: readonly string[];
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly DiffLine[];
}

/** Parses a unified diff of one or several files into numbered lines. Text that is not a diff becomes plain lines. */
export function diffLines(diff: string): FileDiff {
  const lines: DiffLine[] = [];
  const paths: string[] = [];
  let before = 0;
  let after = 0;
  let hasHunk = false;
  // Lines of the current hunk that are still to come. Within them, a line that starts with `--- ` is a removed line.
  let left = { before: 0, after: 0 };
  let from = "";
  const text = diff.endsWith("\n") ? diff.slice(0, -1) : diff;
  for (const line of text.split("\n")) {
    const isInHunk = left.before > 0 || left.after > 0;
    const hunk = isInHunk ? null : /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) {
      before = Number(hunk[1]);
      after = Number(hunk[3]);
      left = { before: Number(hunk[2] ?? 1), after: Number(hunk[4] ?? 1) };
      hasHunk = true;
      lines.push({ kind: "hunk", text: line, before: null, after: null });
    } else if (!isInHunk && line.startsWith("--- ")) {
      from = nameIn(line);
    } else if (!isInHunk && line.startsWith("+++ ")) {
      const to = nameIn(line);
      paths.push(to === "/dev/null" ? from : to);
      if (paths.length > 1)
        lines.push({ kind: "file", text: paths.at(-1) ?? "", before: null, after: null });
    } else if (hasHunk && line.startsWith("\\")) {
      lines.push({ kind: "note", text: line.slice(1).trim(), before: null, after: null });
    } else if (line.startsWith("+")) {
      lines.push({ kind: "add", text: line.slice(1), before: null, after });
      after += 1;
      left.after -= 1;
    } else if (line.startsWith("-")) {
      lines.push({ kind: "remove", text: line.slice(1), before, after: null });
      before += 1;
      left.before -= 1;
    } else {
      const numbers = isInHunk ? { before, after } : { before: null, after: null };
      lines.push({ kind: "same", text: line.replace(/^ /, ""), ...numbers });
      before += 1;
      after += 1;
      left.before -= 1;
      left.after -= 1;
    }
  }
  return {
    path: paths[0] ?? "",
    paths,
    added: lines.filter(({ kind }) => kind === "add").length,
    removed: lines.filter(({ kind }) => kind === "remove").length,
    lines,
  };
}

/** Returns the path in a header line, such as `x.ts` for `+++ b/x.ts`. */
function nameIn(header: string): string {
  return header.slice(4).replace(/^[ab]\//, "");
}
