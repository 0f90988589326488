export interface DiffLine {
  readonly kind: "add" | "remove" | "same" | "hunk";
  readonly text: string;
  readonly before: number | null;
  readonly after: number | null;
}

export interface FileDiff {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly DiffLine[];
}

/** Parses a unified diff into numbered lines. Text that is not a diff becomes plain lines. */
export function diffLines(diff: string): FileDiff {
  const lines: DiffLine[] = [];
  let path = "";
  let before = 0;
  let after = 0;
  let isInHunk = false;
  const text = diff.endsWith("\n") ? diff.slice(0, -1) : diff;
  for (const line of text.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk !== null) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      isInHunk = true;
      lines.push({ kind: "hunk", text: line, before: null, after: null });
    } else if (!isInHunk && (line.startsWith("--- ") || line.startsWith("+++ "))) {
      const name = line.slice(4).replace(/^[ab]\//, "");
      if (name !== "/dev/null") path = name;
    } else if (line.startsWith("+")) {
      lines.push({ kind: "add", text: line.slice(1), before: null, after });
      after += 1;
    } else if (line.startsWith("-")) {
      lines.push({ kind: "remove", text: line.slice(1), before, after: null });
      before += 1;
    } else if (!line.startsWith("\\")) {
      const numbers = isInHunk ? { before, after } : { before: null, after: null };
      lines.push({ kind: "same", text: line.replace(/^ /, ""), ...numbers });
      before += 1;
      after += 1;
    }
  }
  return {
    path,
    added: lines.filter(({ kind }) => kind === "add").length,
    removed: lines.filter(({ kind }) => kind === "remove").length,
    lines,
  };
}
