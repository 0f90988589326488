import { cpus, totalmem } from "node:os";
import manifest from "./package.json" with { type: "json" };
import type { Moment, Played, Verdict } from "./scenario.ts";

export interface Report {
  readonly target: string;
  readonly played: readonly Played[];
}

/** Results of one execution of the gauntlet, a test suite that checks how agents handle failures. */
export interface GauntletRecord {
  /** Time at which the gauntlet was started, in ISO format. */
  readonly at: string;
  readonly machine: string;
  /** Command that started the gauntlet. */
  readonly command: string;
  readonly reports: readonly Report[];
}

/** Merges records. For the same scenario, the later result replaces the earlier one. */
export function mergeRecords(
  records: readonly GauntletRecord[],
  order: readonly string[],
): GauntletRecord {
  const targets = new Map<string, Map<string, Played>>();
  for (const { target, played } of records.flatMap(({ reports }) => reports)) {
    const known = targets.get(target) ?? new Map<string, Played>();
    targets.set(target, known);
    for (const result of played) known.set(result.scenario, result);
  }
  const reports = [...targets].map(([target, known]) => ({
    target,
    played: order.flatMap((name) => known.get(name) ?? []),
  }));
  const commands = records.map(({ command }) =>
    command.replaceAll(/ --(only|json|html)(=| )("[^"]*"|\S+)/g, ""),
  );
  return {
    at: records.map(({ at }) => at).toSorted()[0] ?? "",
    machine: records[0]?.machine ?? "",
    command: [...new Set(commands)].join("\n"),
    reports,
  };
}

/** One line of the table, printed when a scenario ends. */
export function line({ scenario, verdict, seconds }: Played): string {
  const time = seconds.toFixed(1).padStart(6);
  return `${mark(verdict).padEnd(11)} ${scenario.padEnd(42)} ${time} s  ${reason(verdict)}`.trimEnd();
}

export function summary(report: Report): string {
  const { passed, failed, notOffered } = counts(report);
  const parts = [`${passed} passed`, `${failed} failed`];
  if (notOffered > 0) parts.push(`${notOffered} not offered`);
  return `${report.target}: ${parts.join(", ")}`;
}

export function counts({ played }: Report): Readonly<Record<Verdict["status"], number>> {
  const count = (status: Verdict["status"]): number =>
    played.filter(({ verdict }) => verdict.status === status).length;
  return { passed: count("passed"), failed: count("failed"), notOffered: count("notOffered") };
}

export const { version } = manifest;

/** Describes the machine's processor and memory, because the results depend on its speed. */
export function machine(): string {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const parts = [
    `${process.platform}-${process.arch}`,
    `${cpus().length} × ${first?.model ?? "?"}`,
  ];
  const software = [`Node ${process.versions.node}`, `holdfast-gauntlet ${version}`];
  return [...parts, `${memory} GB`, ...software].join(", ");
}

/** Formats the timeline of a failed scenario. */
export function timeline({ timeline: moments }: Played): string {
  return moments.map((moment) => `    ${momentLine(moment)}`).join("\n");
}

function momentLine({ at, who, what }: Moment): string {
  return `${String(at).padStart(6)} ms  ${who.padEnd(6)}  ${what}`;
}

function mark(verdict: Verdict): string {
  switch (verdict.status) {
    case "passed":
      return "passed";
    case "failed":
      return "FAILED";
    case "notOffered":
      return "not offered";
  }
}

export function reason(verdict: Verdict): string {
  switch (verdict.status) {
    case "passed":
      return "";
    case "failed":
      return verdict.reason;
    case "notOffered":
      return [...Map.groupBy(verdict.missing, ({ why }) => why)]
        .map(([why, missing]) => `${missing.map(({ offer }) => offer).join(", ")}: ${why}`)
        .join("; ");
  }
}
