import assert from "node:assert/strict";
import { stripTypeScriptTypes } from "node:module";
import { test } from "node:test";
import { reasonFor } from "../mutants/accepted.ts";
import type { Accepted } from "../mutants/accepted.ts";
import { findMutants } from "../mutants/find.ts";
import type { Mutant } from "../mutants/find.ts";
import { instrument } from "../mutants/instrument.ts";
import { report } from "../mutants/report.ts";
import type { Report, Result } from "../mutants/report.ts";

const source = `
export function pick(list: readonly number[], least: number | null): number[] {
  if (least === null || list.length < 1) return [];
  for (let count = 0; count < 1; count += 1) emit("tried");
  const found = list.filter((each) => each > least && each !== 7);
  const few = found.length < 2;
  found.forEach((each) => send(each));
  return few ? found : [found[0] ?? (least || 5)];
}
`;

const found = findMutants(new Map([["pick.ts", source]]));

test("every condition, operand, predicate, loop, event and message is found once", () => {
  assert.deepEqual(
    found.map(({ line, within, kind, text }) => [line, within, kind, text]),
    [
      [3, "pick", "condition", "least === null || list.length < 1"],
      [3, "pick", "operand", "least === null"],
      [3, "pick", "operand", "list.length < 1"],
      [4, "pick", "loop", "count < 1"],
      [4, "pick", "emit", 'emit("tried")'],
      [5, "pick", "predicate", "each > least && each !== 7"],
      [5, "pick", "operand", "each > least"],
      [5, "pick", "operand", "each !== 7"],
      [7, "pick", "send", "send(each)"],
      [8, "pick", "condition", "few"],
    ],
  );
});

/** Runs the text with one mutant on. Returns its result and the emitted and sent messages. */
function run(mutant: number): unknown {
  const mutants = found.map((each, id) => ({ ...each, id }));
  const text = stripTypeScriptTypes(instrument(source, mutants)).replace("export ", "");
  const told: unknown[] = [];
  const tell = (what: unknown): void => void told.push(what);
  // eslint-disable-next-line typescript/no-implied-eval -- the instrumented text is what is tested
  const pick: unknown = new Function(
    "globalThis",
    "emit",
    "send",
    `${text}; return pick([3, 7, 9], 2);`,
  )({ mutant }, tell, tell);
  return [pick, told];
}

test("an instrumented text behaves as before until a mutant is turned on", () => {
  const before = [[3], ["tried", 3, 9]];
  assert.deepEqual(run(-1), before);
  const changed = Array.from({ length: 10 }, (_, id) => run(id)).filter(
    (result) => JSON.stringify(result) !== JSON.stringify(before),
  );
  assert.equal(changed.length, 10);
});

const mutant: Mutant = {
  file: "pick.ts",
  line: 3,
  within: "pick",
  kind: "condition",
  text: "least ===\n null",
  start: 0,
  end: 1,
};

test("a reason matches its mutant after moves and reformatting", () => {
  const entry = { ...mutant, line: 99, text: "least === null", reason: "it is the same" };
  assert.equal(reasonFor([entry], mutant), "it is the same");
  assert.equal(reasonFor([{ ...entry, within: "other" }], mutant), null);
  assert.equal(reasonFor([{ ...entry, kind: "operand" }], mutant), null);
});

const day = "2026-11-15";
const reported = (results: readonly Result[], accepted: readonly Accepted[], page = ""): Report =>
  report({ results, accepted, day, page });

test("the report passes if 95 % are caught and every survivor has a reason", () => {
  const caught = Array.from({ length: 19 }, () => ({ mutant, caughtBy: "a test" }));
  const survivor = { mutant, caughtBy: null };
  const reason = { ...mutant, reason: "it is the same" };
  assert.equal(reported([...caught, survivor], [reason]).passes, true);
  assert.equal(reported([...caught, survivor], []).passes, false);
  assert.equal(reported([...caught.slice(1), survivor], [reason]).passes, false);
  assert.equal(
    reported(caught, []).summary,
    "19 of 19 mutants caught (100.0 %); 0 survive, 0 without a documented reason",
  );
});

test('the written page contains the date and keeps the section "By hand"', () => {
  const byHand = "\n## By hand\n\nA story.\n";
  const before = `# Mutants\n\nold\n${byHand}`;
  const { summary, markdown } = reported([{ mutant, caughtBy: "a test" }], [], before);
  assert.ok(markdown.includes(`\n${day}: ${summary}.\n`));
  assert.ok(markdown.endsWith(`\n## Survivors\n\nNone.\n${byHand}`));
  assert.ok(!markdown.includes("old"));
});
