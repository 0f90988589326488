import type { Moment, Played, Verdict } from "./scenario.ts";

export interface Report {
  readonly target: string;
  readonly played: readonly Played[];
}

/** One line of the table, as soon as its scenario is over. */
export function line({ scenario, verdict, seconds }: Played): string {
  const time = seconds.toFixed(1).padStart(6);
  return `${mark(verdict).padEnd(11)} ${scenario.padEnd(42)} ${time} s  ${reason(verdict)}`.trimEnd();
}

export function summary({ target, played }: Report): string {
  const count = (status: Verdict["status"]): number =>
    played.filter(({ verdict }) => verdict.status === status).length;
  const parts = [`${count("passed")} passed`, `${count("failed")} failed`];
  if (count("notOffered") > 0) parts.push(`${count("notOffered")} not offered`);
  return `${target}: ${parts.join(", ")}`;
}

/** What happened in a scenario that failed, moment by moment. */
export function timeline({ timeline: moments }: Played): string {
  return moments.map((moment) => `    ${momentLine(moment)}`).join("\n");
}

function momentLine({ at, who, what }: Moment): string {
  return `${String(at).padStart(6)} ms  ${who.padEnd(6)}  ${what}`;
}

export function mark(verdict: Verdict): string {
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
      return verdict.missing.map(({ offer, why }) => `${offer}: ${why}`).join("; ");
  }
}
