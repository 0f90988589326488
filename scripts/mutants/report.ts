import { flat, reasonFor } from "./accepted.ts";
import type { Accepted } from "./accepted.ts";
import type { Mutant } from "./find.ts";

export interface Result {
  readonly mutant: Mutant;
  /** The test stage that failed; null if all passed. */
  readonly caughtBy: string | null;
}

/** Share of mutants that tests must catch. */
const minScore = 0.95;

export interface Report {
  readonly passes: boolean;
  readonly summary: string;
  readonly markdown: string;
}

export function report(run: {
  readonly results: readonly Result[];
  readonly accepted: readonly Accepted[];
  /** Date of the mutation test, such as 2026-11-16. */
  readonly day: string;
  /** Text of the current report. Its section "By hand" is copied into the new report. */
  readonly page: string;
}): Report {
  const { results, accepted, day, page } = run;
  const survivors = results.filter(({ caughtBy }) => caughtBy === null).map(({ mutant }) => mutant);
  const caught = results.length - survivors.length;
  const score = results.length === 0 ? 1 : caught / results.length;
  const explained = survivors.map((mutant) => ({ mutant, reason: reasonFor(accepted, mutant) }));
  const unexplained = explained.filter(({ reason }) => reason === null).length;
  const percent = (Math.floor(score * 1000) / 10).toFixed(1);
  const summary = `${caught} of ${results.length} mutants caught (${percent} %); ${survivors.length} survive, ${unexplained} without a documented reason`;
  return {
    passes: score >= minScore && unexplained === 0,
    summary,
    markdown: `${intro}\n${day}: ${summary}.\n\n${kindTable(results)}\n\n## Survivors\n\n${list(explained)}\n${byHand(page)}`,
  };
}

const intro = `# Mutation tests

\`\`\`sh
npm run mutants                              # every mutant; 10 to 20 minutes
npm run mutants -- --list                    # list the mutants
npm run mutants -- --only decide/cancel.ts   # only the mutants of one file
\`\`\`

\`npm run mutants\` checks the tests of the kernel and the scheduler. It makes one small change to the code at a time, called a
mutant: it negates a condition, an operand of \`&&\` or \`||\`, a loop condition or the result of a predicate, or removes an
event or a message to another lane. Then it runs the tests. If a test fails, the mutant is caught. If all tests pass, the
mutant survives: either a test is missing, or the change has no visible effect. In the second case the reason is in
\`scripts/mutants/accepted.json\`.

The script writes this page after a full run, except the section "By hand".
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
