import type { Figure, Findings, Target } from "./benchmark.ts";

/** Output of `--json`. */
export interface Report extends Findings {
  readonly benchmark: string;
  readonly quick: boolean;
  readonly machine: {
    readonly cores: number;
    readonly platform: string;
    readonly node: string;
  };
}

/** Formats the report as aligned tables, one per group, with ratios in the last column. */
export function formatReport(report: Report): string {
  const { benchmark, quick, machine, figures, targets } = report;
  const note = quick ? "; quick: these figures mean nothing" : "";
  const title = `${benchmark}: ${machine.cores} cores, ${machine.platform}, Node ${machine.node}${note}`;
  const groups = Map.groupBy(figures, ({ engine, group }) => `${engine}: ${group}`);
  const tables = [...groups].map(([name, members]) => `${name}\n${formatFigures(members)}`);
  const verdicts = targets.length === 0 ? [] : [`targets\n${formatTargets(targets)}`];
  return [title, ...tables, ...verdicts].join("\n\n");
}

function formatFigures(figures: readonly Figure[]): string {
  const keys = [...new Set(figures.flatMap(({ values }) => Object.keys(values)))];
  const head = ["", ...keys.map(headOf), "ratio"];
  const rows = figures.map(({ name, values, ratios }) => [
    name,
    ...keys.map((key) => formatNumber(values[key])),
    ratios.map(({ to, value }) => `${formatNumber(value)} x ${to}`).join(", "),
  ]);
  return align([head, ...rows]);
}

function formatTargets(targets: readonly Target[]): string {
  const rows = targets.map(({ engine, name, bound, value, met }) => [
    `${engine}: ${name}`,
    formatNumber(value),
    "atLeast" in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`,
    met ? "met" : "NOT MET",
  ]);
  return align(rows);
}

/** Returns the column title of a key: `p50Ms` becomes `p50 ms`. */
function headOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function formatNumber(value: number | undefined): string {
  if (value === undefined) return "";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** Aligns names and ratios to the left, numbers to the right. */
function align(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    }
  }
  return rows
    .map((row) =>
      row
        .map((cell, index) => {
          const isText = index === 0 || index === row.length - 1;
          return isText ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0);
        })
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `  ${line}`)
    .join("\n");
}
