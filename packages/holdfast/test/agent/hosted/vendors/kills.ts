import { setTimeout as delay } from "node:timers/promises";
import type { Ask, SessionHandle } from "@holdfast/sdk";
import { createRandom } from "../../../store/chaos/random.ts";
import { settledEvents } from "./scenarios.ts";
import { openVendorWorld } from "./world.ts";
import type { VendorWorld } from "./world.ts";
import type { Installing, Vendor } from "./vendor.ts";

export interface KillResult {
  readonly kills: number;
  /** Number of prompts by their outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Commands that ran, and answers that allowed them. */
  readonly acts: number;
  readonly allowed: number;
  /** Broken promises. */
  readonly problems: readonly string[];
}

/**
 * Kills the agent or Holdfast at seeded moments while the agent asks for permission and runs commands. A command must
 * not run more often than it was allowed, and each prompt must have exactly one outcome.
 */
export async function killOften(
  vendor: Vendor,
  options: {
    readonly kills: number;
    readonly seed: number;
    readonly install: Installing;
    readonly progress?: (message: string) => void;
  },
): Promise<KillResult> {
  const { kills, seed, install, progress = () => {} } = options;
  const random = createRandom(seed);
  const world = await openVendorWorld(vendor, install);
  const outcomes: Record<string, number> = {};
  try {
    await world.session.prompt("say w-ready", { promptId: "ready" });
    await world.settled("ready");
    const ids: string[] = [];
    for (let number = 1; number <= kills; number += 1) {
      const promptId = `kill-${number}`;
      ids.push(promptId);
      const moment = {
        target: random.chance(0.5) ? "agent" : "Holdfast",
        // The kill comes before the first request for permission, or while one is open, or after an answer.
        asks: random.below(4),
        wait: random.below(400),
        denies: random.chance(0.2),
      } as const;
      const end = await killOnce(world, { promptId, moment });
      outcomes[end] = (outcomes[end] ?? 0) + 1;
      progress(`${vendor.name}: ${number} of ${kills}: ${moment.target} killed, prompt ${end}`);
    }
    const problems = [...(await checkOutcomes(world, ids))];
    const { counts, broken } = await checkActs(world);
    problems.push(...broken);
    const violations = await world.examine();
    problems.push(...violations.map((violation) => `doctor: ${JSON.stringify(violation)}`));
    return { kills, outcomes, ...counts, problems };
  } finally {
    await world.close();
  }
}

interface Moment {
  readonly target: "agent" | "Holdfast";
  /** Number of requests for permission before the kill. All are answered, except sometimes the last one. */
  readonly asks: number;
  /** Milliseconds to wait after these requests, until the kill. */
  readonly wait: number;
  /** True if requests are denied. */
  readonly denies: boolean;
}

/** Sends a prompt with three commands, kills a process while they run, and returns the outcome of the prompt. */
async function killOnce(
  world: VendorWorld,
  { promptId, moment }: { promptId: string; moment: Moment },
): Promise<string> {
  const { session, server } = world;
  const words = ["a", "b", "c"].map((name) => `ask w-${promptId}-${name}`);
  await session.prompt(`${words.join("\n")}\nsay w-end`, { promptId });
  const verdict = moment.denies ? "deny" : "allow";
  for (let answered = 0; answered < moment.asks; answered += 1) {
    const ask = await world.ask(promptId);
    if (ask === null) break;
    // Leave the last request open half of the time, so that the kill comes before or after its answer.
    const isLast = answered === moment.asks - 1;
    if (isLast && moment.wait % 2 === 0) break;
    await session.answer(ask.askId, { verdict });
  }
  await delay(moment.wait);
  if (moment.target === "agent") await server.killAgent();
  else {
    await server.kill();
    await server.start();
  }
  for (;;) {
    const ask = await world.ask(promptId);
    if (ask === null) break;
    await answerIfOpen(session, ask, verdict);
  }
  const { status, reason } = await world.settled(promptId);
  return reason === null ? status : `${status}: ${reason}`;
}

/** Answers a request. The request may have been withdrawn a moment before, which is no problem. */
export async function answerIfOpen(
  session: SessionHandle,
  { askId }: Ask,
  verdict: "allow" | "deny",
): Promise<void> {
  try {
    await session.answer(askId, { verdict });
  } catch (error) {
    const [now] = (await session.asks({ open: true })).items;
    if (now?.askId === askId) throw error;
  }
}

async function checkOutcomes(
  { session }: VendorWorld,
  ids: readonly string[],
): Promise<readonly string[]> {
  const ends = await settledEvents(session);
  return ids.flatMap((promptId) => {
    const count = ends.filter((ended) => ended === promptId).length;
    return count === 1 ? [] : [`${promptId} has ${count} outcomes`];
  });
}

/** Compares the commands that ran with the answers in the log. */
async function checkActs(world: VendorWorld): Promise<{
  counts: Pick<KillResult, "acts" | "allowed">;
  broken: readonly string[];
}> {
  const allowed: string[] = [];
  for await (const { closed, question, extra } of world.session.eachAsk()) {
    const resolution = closed?.resolution;
    if (resolution?.kind !== "answered" || resolution.verdict !== "allow") continue;
    allowed.push(`${question} ${JSON.stringify(extra)}`);
  }
  const done = world.acts();
  const broken = [...new Set(done)].flatMap((word) => {
    const ran = done.filter((act) => act === word).length;
    const times = allowed.filter((text) => text.includes(word)).length;
    return ran > times ? [`${word} ran ${ran} times and was allowed ${times} times`] : [];
  });
  return { counts: { acts: done.length, allowed: allowed.length }, broken };
}
