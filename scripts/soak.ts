import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcesses } from "../packages/holdfast/test/support/end-servers.ts";
import { readArguments } from "./read-arguments.ts";
import { runNode } from "./run-node.ts";
import { makeScratch } from "./scratch.ts";

const usage = `npm run soak -- [nodes | trees | starts] [options]

Kills Holdfast processes with kill -9 while they work, and checks afterwards that no acknowledged
prompt, cancel or result was lost. Without arguments, it tests one process on SQLite and on PostgreSQL.
See docs/SOAK.md.

  nodes              Test only three servers that share one PostgreSQL
  trees              Test only cancels of sessions with several levels of child sessions
  starts             Test only commands that start at the same moment while no server runs
  --store NAMES      Test these stores, separated by commas (default: sqlite,postgres)
  --kills N          Kill N processes per store (default: 200, with nodes: 20)
  --tries N          Send prompts around the end of N runs, to find lost prompts (default: 1000)
  --agent            Test only the coding agent
  --accepts N        Test only N servers, each killed right after it acknowledged a prompt
  --maintenance N    Test only N rounds in which servers are killed while they reload or close directories
  --trees N          With trees: create N trees of sessions per store (default: 200)
  --depth N          With trees: create N levels of child sessions (default: 3)
  --starts N         With starts: run N rounds (default: 50)
  --prompts N        With nodes: send N prompts (default: 5000)
  --freezes N        With nodes: pause server processes N times (default: 10)
  --databases N      With nodes: crash the database N times (default: 3)
  --pgbouncer        With nodes: connect through PgBouncer in session mode, and check that servers refuse
                     its other modes
  --seed N           Use the random choices of the earlier run that printed seed N (default: random)`;

const { values, positionals } = readArguments({
  usage,
  words: ["nodes", "trees", "starts"],
  lists: { store: ["sqlite", "postgres"] },
  options: {
    prompts: { type: "string", default: "5000" },
    freezes: { type: "string", default: "10" },
    databases: { type: "string", default: "3" },
    pgbouncer: { type: "boolean", default: false },
    store: { type: "string", default: "sqlite,postgres" },
    kills: { type: "string" },
    tries: { type: "string", default: "1000" },
    trees: { type: "string", default: "200" },
    depth: { type: "string", default: "3" },
    starts: { type: "string", default: "50" },
    agent: { type: "boolean", default: false },
    accepts: { type: "string", default: "0" },
    maintenance: { type: "string", default: "0" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
  },
});

export interface SoakArguments {
  readonly values: typeof values;
  readonly positionals: typeof positionals;
}

// Runs soak/main.ts in a process of its own, so that no process and no file is left even after Ctrl-C.
// The files are on the disk, because processes are also killed while they wait for the disk.
const scratch = makeScratch(tmpdir());
process.env["TMPDIR"] = scratch.folder;
try {
  const main = join(import.meta.dirname, "soak", "main.ts");
  process.exitCode = await runNode([main, JSON.stringify({ values, positionals })]);
} finally {
  endProcesses(scratch.folder);
  scratch.remove();
}
