import { grouped } from "../grouped.ts";

/** Formats a count with its noun: "1 prompt", "2 prompts". */
export function count(number: number, one: string, many: string): string {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

let list: Intl.ListFormat | null = null;

/** Joins items: "a, b and c". The formatter is created on first use, because this takes milliseconds. */
export function listed(items: readonly string[]): string {
  list ??= new Intl.ListFormat("en-GB");
  return list.format(items);
}

/**
 * Formats counts of prompts: "1 running and 2 queued prompts". Kinds with a count of 0 are left out; "0 prompts" if
 * all are 0.
 */
export function promptCounts(counts: {
  running: number;
  queued: number;
  background: number;
}): string {
  const { running, queued, background } = counts;
  const kinds = Object.entries({ running, queued, background }).filter(([, number]) => number > 0);
  if (kinds.length === 0) return "0 prompts";
  const noun = running + queued + background === 1 ? "prompt" : "prompts";
  return `${listed(kinds.map(([kind, number]) => `${number} ${kind}`))} ${noun}`;
}
