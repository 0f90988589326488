import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sleep } from "../packages/holdfast/src/base/time.ts";
import { endServers, serversIn } from "../packages/holdfast/test/support/end-servers.ts";
import { ensurePackage } from "./build/ensure-package.ts";
import { readArguments } from "./read-arguments.ts";

const usage = `npm run rest -- [--minutes N]

Measures the processor time and memory of a background server that does nothing, on Linux. A
command of the built package starts the server and sends one prompt. See docs/OPERATIONS.md.

  --minutes N    Time to measure (default: 10)`;

const { values } = readArguments({
  usage,
  options: { minutes: { type: "string", default: "10" } },
});
const limits = { cpu: 0.1, memory: 75 };
/** Milliseconds to wait until the server has returned the memory that it needed for its start. */
const settling = 60_000;

const root = join(import.meta.dirname, "..");
const program = await ensurePackage(root);
const home = mkdtempSync(join(tmpdir(), "holdfast-rest-"));
try {
  const environment = { PATH: process.env["PATH"], HOME: home, HOLDFAST_AGENT: "demo" };
  const words = [program, "run", "--yes", "say hello; append a.txt x"];
  const run = spawnSync(process.execPath, words, { cwd: home, env: environment, encoding: "utf8" });
  const [pid] = serversIn(home);
  if (run.status !== 0 || pid === undefined)
    throw new Error(`no server was started: ${run.stderr}`);
  await sleep(settling);
  const before = { cpu: processorTime(pid), at: performance.now() };
  await sleep(Number(values.minutes) * 60_000);
  const used = processorTime(pid) - before.cpu;
  const share = (used / (performance.now() - before.at)) * 100;
  const memory = residentMemory(pid);
  console.log(`background server at rest for ${values.minutes} min`);
  console.log(`  CPU     ${share.toFixed(3)} % of a core (${used} ms); limit ${limits.cpu} %`);
  console.log(`  memory  ${memory.toFixed(1)} MB resident; limit ${limits.memory} MB`);
  if (share > limits.cpu || memory > limits.memory) process.exitCode = 1;
} finally {
  endServers(home);
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** Milliseconds of processor time that a process has used. Linux counts in steps of 10 ms. */
function processorTime(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name of the program is in parentheses and may contain spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory of a process in megabytes. */
function residentMemory(pid: number): number {
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_024;
}
