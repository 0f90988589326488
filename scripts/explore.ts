import { explore } from "../packages/holdfast/test/kernel/explorer/explore.ts";
import type { Found } from "../packages/holdfast/test/support/search.ts";
import { countMeetings } from "../packages/holdfast/test/kernel/explorer/meetings.ts";
import { quick, scenarios, thorough } from "../packages/holdfast/test/kernel/explorer/scenarios.ts";
import { exploreScheduler } from "../packages/holdfast/test/runner/scheduler/explore.ts";
import { fullScenarios } from "../packages/holdfast/test/runner/scheduler/scenarios.ts";
import { readArguments } from "./read-arguments.ts";

const usage = `npm run explore -- [WORD...]

Tries every order in which clients, runner, crashes and time can act in a scenario with up to four
prompts, and checks every promise. Takes minutes. See docs/EXPLORER.md.

  WORD    Only scenarios whose name contains one of the words`;

/**
 * Maximum number of system states to explore in one scenario. More states do not fit into the memory of an ordinary
 * machine. If a scenario needs more, make the scenario smaller.
 */
const maxStates = 3_000_000;

const { positionals: words } = readArguments({ usage, options: {}, words: true });
const everyScenario = [...scenarios(quick), ...scenarios(thorough), ...fullScenarios];
if (!everyScenario.some(isChosen)) {
  console.error(`No scenario has "${words.join('" or "')}" in its name. The names are:`);
  for (const name of new Set(everyScenario.map((each) => each.name))) console.error(`  ${name}`);
  process.exit(2);
}
const total = { scenarios: 0, states: 0, transitions: 0, violations: 0 };
const began = performance.now();

for (const scenario of chosen(quick)) {
  const start = performance.now();
  const { meetings, unlike } = countMeetings(scenario);
  console.log(`${scenario.name}: ${meetings} repeated states, ${seconds(start)} s`);
  for (const key of unlike) console.error(`  equal states with different successors: ${key}`);
  total.violations += unlike.length;
}
for (const scenario of chosen(quick)) {
  const name = `${scenario.name}, in batches`;
  show(name, (onProgress) => explore(scenario, { batches: true, onProgress }));
}
for (const scenario of chosen(thorough)) {
  show(scenario.name, (onProgress) => explore(scenario, { maxStates, onProgress }));
}
for (const scenario of fullScenarios.filter(isChosen)) {
  show(`scheduler, ${scenario.name}`, () => exploreScheduler(scenario, maxStates));
}
console.log(
  `${total.scenarios} explorations: ${total.states} states, ${total.transitions} transitions, ` +
    `${total.violations} violations, ${seconds(began)} s`,
);
process.exitCode = total.violations === 0 && total.scenarios > 0 ? 0 : 1;

function chosen(extent: typeof quick): ReturnType<typeof scenarios> {
  return scenarios(extent).filter(isChosen);
}

function isChosen({ name }: { readonly name: string }): boolean {
  return words.length === 0 || words.some((word) => name.includes(word));
}

type OnProgress = (states: number, depth: number) => void;

function show(name: string, run: (onProgress: OnProgress) => Found): void {
  const start = performance.now();
  const terminal = process.stdout.isTTY;
  const { states, transitions, violations } = run((sofar, depth) => {
    if (terminal) process.stdout.write(`\r${name}: ${sofar} states, depth ${depth} `);
  });
  const line = `${name}: ${states} states, ${transitions} transitions, ${seconds(start)} s`;
  console.log(terminal ? `\r\u001B[K${line}` : line);
  for (const { problem, path } of violations) {
    console.error(`  ${problem}\n${path.map((label) => `    ${label}`).join("\n")}`);
  }
  total.scenarios += 1;
  total.states += states;
  total.transitions += transitions;
  total.violations += violations.length;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
