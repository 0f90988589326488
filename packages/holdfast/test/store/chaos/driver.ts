import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Acknowledgement, Job } from "./job.ts";
import type { Random } from "./random.ts";

export interface Drive {
  /** The worker's script. It gets its job as JSON in its only argument, and prints its messages to stdout. */
  readonly script: string;
  /** Aborts when the test has ended for any reason; then the worker is ended. */
  readonly signal: AbortSignal;
  readonly random: Random;
  /** Maximum number of kills. After that, the process runs until it has finished. */
  readonly kills: number;
  readonly job: Omit<Job, "nodeId" | "seed">;
  readonly name: string;
  /** Passed to the script with the job: how to open its store. */
  readonly target: string;
}

export interface Driven {
  readonly acknowledgements: readonly Acknowledgement[];
  readonly kills: number;
}

/**
 * Starts a worker repeatedly, kills it with -9 after a random number of acknowledgements, and collects the
 * acknowledgements. All of them must be true in the end.
 */
export async function driveWorker(drive: Drive): Promise<Driven> {
  const acknowledgements: Acknowledgement[] = [];
  for (let life = 0; ; life += 1) {
    const clients = drive.job.clients.map((client) => ({
      ...client,
      next: nextOf(acknowledgements, client.name),
    }));
    const nodeId = `${drive.name}-${life}`;
    const job: Job = { ...drive.job, clients, nodeId, seed: drive.random.below(1_000_000) };
    const killAfter = life < drive.kills ? 1 + drive.random.below(30) : null;
    const told = await live({ drive, job, killAfter });
    acknowledgements.push(...told);
    if (told.at(-1)?.kind === "finished") return { acknowledgements, kills: life };
  }
}

/** One process, from its start to its end. */
async function live(options: {
  drive: Drive;
  job: Job;
  killAfter: number | null;
}): Promise<Acknowledgement[]> {
  const { drive, job, killAfter } = options;
  const child = spawn(process.execPath, [drive.script, JSON.stringify(job), drive.target], {
    stdio: ["ignore", "pipe", "inherit"],
    signal: drive.signal,
    killSignal: "SIGKILL",
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(signal ?? String(code)));
  });
  const told: Acknowledgement[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    // Ignore a line that the kill cut off.
    const acknowledgement = parseLine(line);
    if (acknowledgement === null) continue;
    told.push(acknowledgement);
    if (told.length === killAfter) child.kill("SIGKILL");
  }
  const end = await ended;
  const finished = told.at(-1)?.kind === "finished";
  if (end !== "SIGKILL" && !(end === "0" && finished)) {
    throw new Error(`${job.nodeId} ended with ${end}`);
  }
  return told;
}

function parseLine(line: string): Acknowledgement | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** The number of the first prompt that this client has no acknowledgement for. */
function nextOf(acknowledgements: readonly Acknowledgement[], client: string): number {
  return acknowledgements.reduce(
    (next, told) =>
      told.kind === "accepted" && told.client === client ? Math.max(next, told.index + 1) : next,
    0,
  );
}
