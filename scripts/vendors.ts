import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { passTask } from "../packages/holdfast/test/agent/hosted/vendors/chain.ts";
import { killOften } from "../packages/holdfast/test/agent/hosted/vendors/kills.ts";
import { playVendor, tableOf } from "../packages/holdfast/test/agent/hosted/vendors/play.ts";
import type { Column } from "../packages/holdfast/test/agent/hosted/vendors/play.ts";
import { startOften } from "../packages/holdfast/test/agent/hosted/vendors/starts.ts";
import { takeOver } from "../packages/holdfast/test/agent/hosted/vendors/takeover.ts";
import { stub, vendors } from "../packages/holdfast/test/agent/hosted/vendors/vendor.ts";
import { startPostgres } from "../packages/holdfast/test/support/postgres.ts";
import { readArguments } from "./read-arguments.ts";

const usage = `npm run vendors -- [AGENT...] [options]

Installs real agents from npm, runs them through Holdfast with a scripted model, and prints the
table of docs/HOSTED.md.

  AGENT         Test only these agents, such as opencode or claude
  --only TEXT   Run only the rows of the table whose title contains TEXT
  --kills N     Instead of the scenarios, kill the agent or Holdfast N times and check that no prompt
                is lost
  --seed N      Kill at the same moments as the earlier run that printed seed N (default: random)
  --starts N    Instead of the scenarios, start and stop the agent N times, and count the processes
                that are left
  --takeover    Instead of the scenarios, kill a node and check that a second node continues its run
  --chain       Instead of the scenarios, let Holdfast's own agent give a task to the first agent, that
                one to the second, and so on (at most three agents)`;

const { values, positionals } = readArguments({
  usage,
  words: true,
  options: {
    only: { type: "string", default: "" },
    kills: { type: "string", default: "0" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    starts: { type: "string", default: "0" },
    takeover: { type: "boolean", default: false },
    chain: { type: "boolean", default: false },
  },
});

const known = [...vendors, stub];
const chosen = positionals.map((name) => {
  const found = known.find((vendor) => vendor.name === name);
  if (found !== undefined) return found;
  console.error(
    `There is no agent ${name}. Choose from: ${known.map((each) => each.name).join(", ")}`,
  );
  return process.exit(1);
});
const list = chosen.length === 0 ? vendors : chosen;
const folder = resolve(process.env["HOLDFAST_VENDORS"] ?? join(tmpdir(), "holdfast-vendors"));
mkdirSync(folder, { recursive: true });
const progress = (message: string): void => console.error(message);
const install = { folder, progress };
const kills = Number(values.kills);
const seed = Number(values.seed);
const starts = Number(values.starts);
const problems: string[] = [];

if (kills > 0) await killAll();
else if (starts > 0) await startAll();
else if (values.takeover) await takeOverAll();
else if (values.chain) {
  const names = ["Holdfast", ...list.map(({ name }) => name)].join(" → ");
  console.log(`${names}: ${await passTask(list, { install })}`);
} else {
  const columns: Column[] = [];
  const { only } = values;
  for (const vendor of list) columns.push(await playVendor(vendor, { install, only, progress }));
  console.log(tableOf(columns));
  problems.push(...columns.flatMap((column) => column.problems));
}

for (const problem of problems) console.error(`broken: ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);

async function killAll(): Promise<void> {
  for (const vendor of list) {
    const result = await killOften(vendor, { kills, seed, install, progress });
    const { outcomes, acts, allowed } = result;
    console.log(
      `${vendor.name}: ${kills} kills, seed ${seed}: ${JSON.stringify(outcomes)}; ` +
        `${acts} commands ran, ${allowed} were allowed; ${result.problems.length} problems`,
    );
    problems.push(...result.problems);
  }
}

async function startAll(): Promise<void> {
  for (const vendor of list) {
    const result = await startOften(vendor, { times: starts, install, progress });
    console.log(
      `${vendor.name}: ${result.starts} starts and ${starts} stops: ${JSON.stringify(result.stops)}; ` +
        `${result.problems.length} problems`,
    );
    problems.push(...result.problems);
  }
}

async function takeOverAll(): Promise<void> {
  const server = await startPostgres();
  try {
    for (const vendor of list) {
      for (const home of ["own", "shared"] as const) {
        const database = await server.createDatabase();
        const end = await takeOver(vendor, { install, database, home });
        console.log(`${vendor.name}, ${home} home folder: ${end}`);
      }
    }
  } finally {
    await server.stop();
  }
}
