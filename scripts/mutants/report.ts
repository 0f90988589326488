import { flat, reasonFor } from "./accepted.ts";
import type { Accepted } from "./accepted.ts";
import type { Mutant } from "./find.ts";

export interface Result {
  readonly mutant: Mutant;
  /** The stage that noticed it; null when none did. */
  readonly caughtBy: string | null;
}

/** At least this part of all mutants must be caught. */
const wanted = 0.95;

export interface Report {
  readonly passes: boolean;
  readonly summary: string;
  readonly markdown: string;
}

export function report(run: {
  readonly results: readonly Result[];
  readonly accepted: readonly Accepted[];
  /** When it was, as a date. */
  readonly day: string;
  /** The page as it is: what was tried by hand stays on it. */
  readonly page: string;
}): Report {
  const { results, accepted, day, page } = run;
  const survivors = results.filter(({ caughtBy }) => caughtBy === null).map(({ mutant }) => mutant);
  const caught = results.length - survivors.length;
  const score = results.length === 0 ? 1 : caught / results.length;
  const explained = survivors.map((mutant) => ({ mutant, reason: reasonFor(accepted, mutant) }));
  const unexplained = explained.filter(({ reason }) => reason === null).length;
  const percent = (Math.floor(score * 1000) / 10).toFixed(1);
  const summary = `${caught} of ${results.length} mutants caught: ${percent} in 100; ${survivors.length} survive, ${unexplained} of them without a reason`;
  return {
    passes: score >= wanted && unexplained === 0,
    summary,
    markdown: `${intro}\n${day}: ${summary}.\n\n${kindTable(results)}\n\n## Survivors\n\n${list(explained)}\n${byHand(page)}`,
  };
}

const intro = `# Mutants of the kernel

\`npm run mutants\` breaks the kernel on purpose, in one place at a time: it negates a condition, an
operand of \`&&\` or \`||\`, a loop's condition or the body of a predicate, or drops an event or a message
to another lane. Then it runs the kernel's tests. A mutant that no test notices survives: it is a
missing test, or a change that nobody can tell from the original; then the reason stands in
\`scripts/mutants/accepted.json\`. This page is written by the last full run, except what was tried by hand.
`;

function byHand(page: string): string {
  const start = page.indexOf("\n## By hand\n");
  return start === -1 ? "" : page.slice(start);
}

function kindTable(results: readonly Result[]): string {
  const kinds = ["condition", "operand", "predicate", "loop", "emit", "send"] as const;
  const rows = kinds.map((kind) => {
    const all = results.filter(({ mutant }) => mutant.kind === kind);
    const caught = all.filter(({ caughtBy }) => caughtBy !== null).length;
    return `| ${kind.padEnd(9)} | ${String(all.length).padStart(7)} | ${String(caught).padStart(6)} |`;
  });
  const head = ["| kind      | mutants | caught |", "| --------- | ------: | -----: |"];
  return [...head, ...rows].join("\n");
}

function list(survivors: readonly { mutant: Mutant; reason: string | null }[]): string {
  if (survivors.length === 0) return "None.";
  return survivors.map(line).join("\n");
}

function line({ mutant, reason }: { mutant: Mutant; reason: string | null }): string {
  return `- ${describe(mutant)}: ${reason ?? "no reason yet"}`;
}

export function describe({ file, line: number, within, kind, text }: Mutant): string {
  return `\`${file}:${number}\` in ${within}, ${kind} \`${flat(text)}\``;
}
