import { explore } from "../packages/holdfast/test/kernel/explorer/explore.ts";
import { scenarios, thorough } from "../packages/holdfast/test/kernel/explorer/scenarios.ts";

// Every interleaving with four prompts: minutes. Words choose scenarios by a part of their names.

/** Keeps a run on an ordinary machine: past it a scenario's bounds are to be narrowed. */
const maxStates = 6_000_000;

const words = process.argv.slice(2);
const chosen = scenarios(thorough).filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
const total = { states: 0, transitions: 0, violations: 0 };
const began = performance.now();

for (const scenario of chosen) {
  const start = performance.now();
  const onProgress = (states: number, depth: number): void => {
    if (process.stdout.isTTY) {
      process.stdout.write(`\r${scenario.name}: ${states} states, depth ${depth} `);
    }
  };
  const { states, transitions, violations } = explore(scenario, { maxStates, onProgress });
  const line = `${scenario.name}: ${states} states, ${transitions} transitions, ${seconds(start)} s`;
  console.log(process.stdout.isTTY ? `\r\u001B[K${line}` : line);
  for (const { problem, path } of violations) {
    console.error(`  ${problem}\n${path.map((label) => `    ${label}`).join("\n")}`);
  }
  total.states += states;
  total.transitions += transitions;
  total.violations += violations.length;
}

console.log(
  `${chosen.length} scenarios: ${total.states} states, ${total.transitions} transitions, ` +
    `${total.violations} violations, ${seconds(began)} s`,
);
process.exitCode = total.violations === 0 && chosen.length > 0 ? 0 : 1;

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
