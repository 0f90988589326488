import assert from "node:assert/strict";
import { waitFor } from "../../../support/wait-for.ts";
import { isAlive } from "../world.ts";
import { answerIfOpen } from "./kills.ts";
import { describe } from "./scenarios.ts";
import { openVendorWorld, patience } from "./world.ts";
import type { VendorWorld } from "./world.ts";
import type { Installing, Vendor } from "./vendor.ts";

export interface StartResult {
  /** Number of stops by their kind. */
  readonly stops: Readonly<Record<string, number>>;
  /** Number of different main processes of the agent. */
  readonly starts: number;
  /** Processes that were still running after a stop, and prompts without a good outcome. */
  readonly problems: readonly string[];
}

/** One way to end the process of an agent, with a prompt before it or in the middle of it. */
type Stop = (world: VendorWorld, work: Work) => Promise<void>;

interface Work {
  readonly promptId: string;
  /** Value that the config gets if this stop changes it. */
  readonly config: string;
  /** Lets the command of the prompt end, answers all requests, and expects one of these outcomes. */
  finish(...statuses: readonly string[]): Promise<void>;
}

const stops: Readonly<Record<string, Stop>> = {
  "server stopped after a run": async ({ server }, work) => {
    await work.finish("completed");
    await server.stop();
    await server.start();
  },
  "server stopped during a run": async ({ server }, work) => {
    await server.stop();
    await server.start();
    await work.finish("completed", "failed");
  },
  "cancel, then a config change": async (world, work) => {
    await world.session.cancel();
    await work.finish("cancelled");
    await change(world, work);
  },
  "config change during a run": async (world, work) => {
    const changed = change(world, work);
    await work.finish("completed");
    await changed;
  },
  "agent killed": async ({ server }, work) => {
    await server.killMain();
    await work.finish("completed", "failed");
  },
  "Holdfast killed": async ({ server }, work) => {
    await server.kill();
    await server.start();
    await work.finish("completed", "failed");
  },
};

/**
 * Starts and stops the agent in every way, each time while a command of the agent runs and has left a process behind.
 * After each stop, all processes that ran before must have ended.
 */
export async function startOften(
  vendor: Vendor,
  options: {
    readonly times: number;
    readonly install: Installing;
    readonly progress?: (message: string) => void;
  },
): Promise<StartResult> {
  const { times, install, progress = () => {} } = options;
  const world = await openVendorWorld(vendor, install, ["--deadline", "200ms"]);
  const counts: Record<string, number> = {};
  const mains = new Set<number>();
  const problems: string[] = [];
  const kinds = Object.entries(stops);
  try {
    for (let number = 1; number <= times; number += 1) {
      const [kind = "", stop] = kinds[number % kinds.length] ?? [];
      assert.ok(stop !== undefined);
      const promptId = `start-${number}`;
      const start = performance.now();
      try {
        for (const pid of await begin(world, promptId)) mains.add(pid);
        const before = await world.server.processes();
        const work = { promptId, config: String(number), finish: finisher(world, promptId) };
        await stop(world, work);
        await waitFor(() => before.filter(isAlive), {
          describe: `the end of the ${before.length} processes from before "${kind}"`,
          until: ({ length }) => length === 0,
        });
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error);
        problems.push(`${promptId}, ${kind}: ${words}`);
      }
      counts[kind] = (counts[kind] ?? 0) + 1;
      const seconds = ((performance.now() - start) / 1_000).toFixed(1);
      progress(
        `${vendor.name}: ${number} of ${times}: ${kind} (${seconds} s); ${problems.length} problems`,
      );
    }
    await world.server.stop();
    const left = await world.server.left();
    problems.push(...left.map((line) => `left after the last stop: ${line}`));
  } finally {
    await world.close();
  }
  return { stops: counts, starts: mains.size, problems };
}

/** Sends a prompt and waits until its command runs. Returns the main processes of the agent. */
async function begin(world: VendorWorld, promptId: string): Promise<readonly number[]> {
  const { session, server } = world;
  const word = `w-${promptId}`;
  await session.prompt(`stay ${word}\nsay w-end`, { promptId });
  await waitFor(
    async () => {
      const { items } = await session.asks({ open: true });
      for (const ask of items) await answerIfOpen(session, ask, "allow");
      return world.acts().includes(word);
    },
    { describe: `the command of ${promptId}`, limit: patience },
  );
  return (await server.agents()).map(({ pid }) => pid);
}

function finisher(world: VendorWorld, promptId: string): Work["finish"] {
  return async (...statuses) => {
    world.release(`w-${promptId}`);
    for (let ask = await world.ask(promptId); ask !== null; ask = await world.ask(promptId)) {
      await answerIfOpen(world.session, ask, "allow");
    }
    const end = await world.settled(promptId);
    assert.ok(statuses.includes(end.status), describe(end));
  };
}

async function change({ server, holdfast, directory }: VendorWorld, work: Work): Promise<void> {
  server.configure(work.config);
  const { actionId } = await holdfast.maintenance.refresh([directory]);
  await holdfast.maintenance.ended(actionId);
}
