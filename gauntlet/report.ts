import type { Played, Verdict } from "./scenario.ts";

export interface Report {
  readonly target: string;
  readonly store: string;
  readonly played: readonly Played[];
}

/** One line of the table, as soon as its scenario is over. */
export function line({ scenario, verdict, seconds }: Played): string {
  return `${mark(verdict)} ${scenario.padEnd(42)} ${seconds.toFixed(1).padStart(6)} s  ${reason(verdict)}`;
}

export function summary({ target, store, played }: Report): string {
  const count = (status: Verdict["status"]): number =>
    played.filter(({ verdict }) => verdict.status === status).length;
  const parts = [`${count("passed")} passed`, `${count("failed")} failed`];
  if (count("notOffered") > 0) parts.push(`${count("notOffered")} not offered`);
  return `${target} on ${store}: ${parts.join(", ")}`;
}

/** What happened in a scenario that failed, moment by moment. */
export function timeline({ timeline: moments }: Played): string {
  return moments.map(({ at, what }) => `    ${String(at).padStart(6)} ms  ${what}`).join("\n");
}

function mark(verdict: Verdict): string {
  switch (verdict.status) {
    case "passed":
      return "passed     ";
    case "failed":
      return "FAILED     ";
    case "notOffered":
      return "not offered";
  }
}

function reason(verdict: Verdict): string {
  switch (verdict.status) {
    case "passed":
      return "";
    case "failed":
      return verdict.reason;
    case "notOffered":
      return `needs ${verdict.missing.join(", ")}`;
  }
}
