import { soakAgent } from "../../packages/holdfast/test/agent/coding/agent-soak.ts";
import { killAfterAccept } from "../../packages/holdfast/test/server/lifecycle/kill-after-accept.ts";
import { soakStarts } from "../../packages/holdfast/test/cli/soak/starts.ts";
import { soakMaintenance } from "../../packages/holdfast/test/runner/soak/maintenance.ts";
import { checkSharedBackends } from "../../packages/holdfast/test/nodes/soak/shared-backends.ts";
import { lease, soakNodes } from "../../packages/holdfast/test/nodes/soak/soak.ts";
import { soakTrees } from "../../packages/holdfast/test/nodes/soak/trees.ts";
import { playMoments } from "../../packages/holdfast/test/runner/soak/moments.ts";
import { soak } from "../../packages/holdfast/test/runner/soak/soak.ts";
import type { SoakResult } from "../../packages/holdfast/test/runner/soak/soak.ts";
import { missingPgBouncer } from "../../packages/holdfast/test/support/pgbouncer.ts";
import { startPostgres } from "../../packages/holdfast/test/support/postgres.ts";
import type { SoakArguments } from "../soak.ts";

// The soak test, which ../soak.ts starts: kills processes with kill -9, then checks that no acknowledged prompt, cancel
// or result was lost. See docs/SOAK.md.

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ../soak.ts wrote it
const { values, positionals } = JSON.parse(process.argv[2] ?? "{}") as SoakArguments;
const seed = Number(values.seed);
const kills = Number(values.kills ?? (positionals.includes("nodes") ? 20 : 200));
const tries = Number(values.tries);
const accepts = Number(values.accepts);
const rounds = Number(values.maintenance);
let violations = 0;

if (positionals.includes("nodes")) {
  const prompts = Number(values.prompts);
  const freeze = Number(values.freezes);
  const database = Number(values.databases);
  const { pgbouncer } = values;
  const missing = pgbouncer ? missingPgBouncer() : null;
  if (missing !== null) {
    console.error(missing);
    process.exit(1);
  }
  const troubles = { kill: kills, freeze, cut: freeze, database, drain: 6 };
  const way = pgbouncer ? "nodes behind PgBouncer in session mode" : "nodes";
  console.log(`${way}: ${prompts} prompts, ${counts(troubles)}, seed ${seed}`);
  const began = performance.now();
  const result = await soakNodes({
    seed,
    prompts,
    troubles,
    revives: true,
    clients: 16,
    pause: 800,
    takeoverWithin: 2 * lease,
    pgbouncer,
    onProgress: showLine,
  });
  const { told, takeovers } = result;
  const refusals = pgbouncer ? await checkSharedBackends() : [];
  const problems = [...result.problems, ...refusals];
  console.log(`  ${told.accepted.length} prompts acknowledged: ${counts(result.outcomes)}`);
  console.log(
    `  ${told.receipts.length} cancels, ${told.outcomes.length} outcomes reported to clients, ` +
      `${result.resumed} runs resumed, ${told.acts.length} actions of agents`,
  );
  const slowest = Math.max(0, ...takeovers);
  console.log(`  ${takeovers.length} takeovers measured, the slowest after ${slowest} ms`);
  if (pgbouncer && refusals.length === 0)
    console.log("  transaction and statement mode refused, no lock left");
  const seconds = (performance.now() - began) / 1000;
  console.log(`  ${problems.length} violations, ${seconds.toFixed(1)} s`);
  for (const problem of problems.slice(0, 50)) console.error(`    ${problem}`);
  process.exit(problems.length === 0 ? 0 : 1);
}
if (positionals.includes("starts")) {
  const result = await soakStarts({ rounds: Number(values.starts), pairs: 10, say: showLine });
  const { outcomes, losers, problems } = result;
  console.log(`starts: ${outcomes} outcomes in ${result.rounds} rounds of 20 commands`);
  console.log(`  ${losers} servers started beside another one; ${problems.length} problems`);
  for (const problem of problems.slice(0, 50)) console.error(`    ${problem}`);
  process.exit(problems.length === 0 ? 0 : 1);
}
if (positionals.includes("trees")) {
  const trees = Number(values.trees);
  for (const store of ["sqlite", "postgres"] as const) {
    if (!values.store.includes(store)) continue;
    console.log(`trees on ${store}: ${trees} cancels, depth ${values.depth}, seed ${seed}`);
    const result = await soakTrees({
      store,
      seed,
      trees,
      kills: Math.floor(trees / 2),
      depth: Number(values.depth),
      breadth: 3,
      side: 4,
      onProgress: showLine,
    });
    const { completed, started, woken, open, problems } = result;
    const found = [...completed, ...started, ...woken, ...open, ...problems];
    console.log(`  ${result.killed} servers killed, ${result.named} descendants named in receipts`);
    console.log(
      `  ${completed.length} prompts completed after the receipt, ${started.length} runs started, ` +
        `${woken.length} runs of parents started, ${open.length} prompts without outcome`,
    );
    console.log(`  ${found.length} violations`);
    for (const problem of found.slice(0, 50)) console.error(`    ${problem}`);
    violations += found.length;
  }
  process.exit(violations === 0 ? 0 : 1);
}
if (values.agent) {
  console.log(`coding agent: ${kills} kills, seed ${seed}`);
  const { problems, outcomes, ...result } = await soakAgent({ kills, seed });
  console.log(`  ${result.resumed} runs resumed; prompts: ${counts(outcomes)}`);
  console.log(`  ${result.acts} commands were executed, ${result.inDoubt} calls are in doubt`);
  console.log(`  ${problems.length} violations`);
  for (const problem of problems.slice(0, 50)) console.error(`    ${problem}`);
  process.exit(problems.length === 0 ? 0 : 1);
}
if (rounds > 0) {
  console.log(`maintenance: ${rounds} rounds, seed ${seed}`);
  const server = await startPostgres();
  const all: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const url = await server.createDatabase();
    const { problems, ...result } = await soakMaintenance({ url, seed: seed + round, steps: 200 });
    console.log(`  seed ${seed + round}: ${counts(result)}, ${problems.length} violations`);
    for (const problem of problems.slice(0, 50)) console.error(`    ${problem}`);
    all.push(...problems);
  }
  await server.stop();
  process.exit(all.length === 0 ? 0 : 1);
}
for (const store of ["sqlite", "postgres"] as const) {
  if (!values.store.split(",").includes(store)) continue;
  if (accepts > 0) {
    console.log(`server: ${accepts} kills right after the acknowledgement`);
    const { acknowledged, missing } = await killAfterAccept({
      kills: accepts,
      onProgress: showKills,
    });
    console.log(
      `  ${acknowledged} prompts acknowledged, ${missing.length} missing after the restart`,
    );
    for (const prompt of missing) console.error(`    ${prompt}`);
    process.exit(acknowledged === accepts && missing.length === 0 ? 0 : 1);
  }
  if (tries > 0) {
    const onPlayed = (name: string): void => {
      console.log(`${store}: ${tries} ${name}: none was lost`);
    };
    await playMoments({ store, tries, seed, onPlayed });
  }
  console.log(`${store}: ${kills} kills, seed ${seed}`);
  const began = performance.now();
  const result = await soak({ store, kills, seed, onProgress: (progress) => show(progress) });
  report(result, (performance.now() - began) / 1000);
  violations += result.problems.length;
}
process.exitCode = violations === 0 ? 0 : 1;

function showLine(line: string): void {
  console.log(`  ${line}`);
}

function showKills(kills: number): void {
  if (kills % 20 === 0) console.log(`  ${kills} killed`);
}

function show(progress: { kills: number; prompts: number }): void {
  const line = `  ${progress.kills} killed, ${progress.prompts} prompts acknowledged`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line} `);
  else if (progress.kills % 20 === 0) console.log(line);
}

function report(result: SoakResult, seconds: number): void {
  const { problems } = result;
  const end = process.stdout.isTTY ? "\r\u001B[K" : "";
  console.log(`${end}  killed ${result.kills} times: ${counts(result.diedAt)}`);
  console.log(`  ${result.prompts} prompts acknowledged: ${counts(result.outcomes)}`);
  console.log(
    `  ${result.cancels} cancels, ${result.events} events, ${result.resumed} runs resumed`,
  );
  console.log(
    `  ${result.acts} acts of calls that may not be repeated, ${result.inDoubt} in doubt`,
  );
  console.log(`  ${problems.length} violations, ${seconds.toFixed(1)} s`);
  for (const problem of problems.slice(0, 50)) console.error(`    ${problem}`);
}

function counts(record: Readonly<Record<string, number>>): string {
  return Object.entries(record)
    .toSorted(([, left], [, right]) => right - left)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}
