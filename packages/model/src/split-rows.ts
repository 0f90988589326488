import type { DiffLine } from "./diff-lines.ts";

/** A row of a diff with the old file on the left and the new file on the right. */
export interface SplitRow {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

/** Puts removed lines beside the added lines that replace them. */
export function splitRows(lines: readonly DiffLine[]): readonly SplitRow[] {
  const rows: SplitRow[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let place = 0; place < Math.max(removed.length, added.length); place += 1) {
      rows.push({ left: removed[place] ?? null, right: added[place] ?? null });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "remove") {
      // A removed line after an added one begins the next change.
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === "add") added.push(line);
    else if (line.kind === "note" && removed.length + added.length > 0) {
      // A note belongs to the side of the line above.
      (added.length > 0 ? added : removed).push(line);
    } else {
      flush();
      rows.push({ left: line, right: line });
    }
  }
  flush();
  return rows;
}
