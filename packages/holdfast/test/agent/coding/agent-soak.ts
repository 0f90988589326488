import { setTimeout as delay } from "node:timers/promises";
import { asks, says } from "../../../../../gauntlet/model-server/script.ts";
import type { Part, Reply, Script } from "../../../../../gauntlet/model-server/script.ts";
import { openCrashes } from "./crashes.ts";

export interface AgentSoakResult {
  readonly problems: readonly string[];
  readonly kills: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Number of commands that acted, and of calls for which it is unknown whether they acted. */
  readonly acts: number;
  readonly inDoubt: number;
  readonly resumed: number;
}

/** Kills processes of the coding agent at random moments, up to this number of kills. */
export async function soakAgent(options: {
  kills: number;
  seed: number;
  onProgress?: (kills: number) => void;
}): Promise<AgentSoakResult> {
  const random = createRandom(options.seed);
  const crashes = await openCrashes(scripted(random));
  try {
    let kills = 0;
    const prompts: { sessionId: string; promptId: string }[] = [];
    while (kills < options.kills) {
      const first = prompts.length;
      for (let lane = 0; lane < lanes; lane += 1) {
        prompts.push({ sessionId: `s${lane}`, promptId: `p${first + lane}` });
      }
      kills += await killUntilSettled(crashes.start.bind(crashes, prompts.slice(-lanes)), {
        most: Math.min(5, options.kills - kills),
        random,
      });
      options.onProgress?.(kills);
    }
    const { violations, outcomes, log, bodies } = await crashes.inspect(prompts);
    const problems = violations.map((violation) => JSON.stringify(violation));
    const acts = crashes.lines("effects.txt");
    for (const [line, times] of countOf(acts)) {
      if (times > 1) problems.push(`R2: call ${line} has acted ${times} times`);
    }
    const doubtful = log.flatMap((event) =>
      event.type === "tool.ended" && event.status === "inDoubt" ? [event.callId] : [],
    );
    for (const event of log) {
      if (event.type !== "tool.started" || !doubtful.includes(event.callId)) continue;
      const told = bodies.get(event.body ?? "") ?? "";
      if (!told.includes("run echo")) problems.push(`R2: call ${event.callId} says "${told}"`);
    }
    const completed = outcomes.filter((outcome) => outcome === "completed").length;
    const commands = log.filter((event) => event.type === "tool.started").length;
    if (acts.length > commands) problems.push(`${acts.length} acts of ${commands} commands`);
    // A call that was interrupted before it acted is in doubt and is not repeated (R2).
    if (acts.length + doubtful.length < completed) {
      problems.push(`${acts.length} acts and ${doubtful.length} in doubt for ${completed} prompts`);
    }
    for (const outcome of new Set(outcomes)) {
      // A run whose process dies repeatedly at the same step is given up (R3).
      if (outcome !== "completed" && outcome !== "failed: crashLoop") problems.push(outcome);
    }
    return {
      problems,
      kills,
      outcomes: Object.fromEntries(countOf(outcomes)),
      acts: acts.length,
      inDoubt: doubtful.length,
      resumed: log.filter(({ type }) => type === "run.resumed").length,
    };
  } finally {
    await crashes.close();
  }
}

const lanes = 3;

/** Kills the process until all prompts are settled. Returns the number of kills. */
async function killUntilSettled(
  start: () => ReturnType<Awaited<ReturnType<typeof openCrashes>>["start"]>,
  options: { most: number; random: () => number },
): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    const worker = start();
    await worker.ready;
    if (kills === options.most) {
      await worker.settled;
      await worker.dead;
      return kills;
    }
    const life = delay(50 + options.random() * 400).then(() => true);
    const killed = await Promise.race([life, worker.settled.then(() => false)]);
    if (!killed) {
      await worker.dead;
      return kills;
    }
    worker.kill();
    await worker.dead;
  }
}

/** A command, two parallel reads, another command, and a final text; with pauses. */
function scripted(random: () => number): Script {
  return ({ messages, index }) => {
    const calls = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
    const done = calls.filter((message) => message.calls.length > 0).length;
    const act = "echo $HOLDFAST_CALL >> effects.txt; sleep 0.0$((RANDOM % 5))";
    const shell = { name: "shell", input: { command: act }, id: `i${index}` };
    const looks = [".", "effects.txt"].map((path, place) => ({
      name: place === 0 ? "list" : "read",
      input: { path },
      id: `i${index}-${place}`,
    }));
    const replies = [asks(shell), asks(...looks), asks(shell), says("It is done, all of it.")];
    return paused(replies[Math.min(done, 3)] ?? says("Done."), random);
  };
}

function paused(reply: Reply, random: () => number): Reply {
  return "status" in reply ? reply : { ...reply, parts: slowly(reply.parts, random) };
}

async function* slowly(
  parts: Iterable<Part> | AsyncIterable<Part>,
  random: () => number,
): AsyncGenerator<Part> {
  for await (const part of parts) {
    await delay(random() * 15);
    yield part;
  }
}

function countOf(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
