/** One line of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const linePattern = /^(?<name>[A-Za-z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)/;
const labelPattern = /(?<name>\w+)="(?<value>(?:[^"\\]|\\.)*)"/g;

/** Parses the Prometheus text format and skips other lines. */
export function parseMetrics(text: string): readonly Sample[] {
  return text.split("\n").flatMap((line) => {
    const groups = linePattern.exec(line)?.groups;
    if (groups === undefined) return [];
    const labels = [...(groups["labels"] ?? "").matchAll(labelPattern)].map(
      (match) => [match.groups?.["name"] ?? "", match.groups?.["value"] ?? ""] as const,
    );
    const value = readNumber(groups["value"] ?? "");
    return Number.isNaN(value)
      ? []
      : [{ name: groups["name"] ?? "", labels: Object.fromEntries(labels), value }];
  });
}

function readNumber(text: string): number {
  if (text === "+Inf") return Infinity;
  return Number(text);
}

/** Returns the sum of all samples with this name and these labels. Other labels may have any value. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return samples
    .filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);
}
