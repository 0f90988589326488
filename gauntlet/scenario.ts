import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStage } from "./stage.ts";
import type { Stage } from "./stage.ts";
import type { Ending, Offer, RunningTarget, Target } from "./target.ts";

/** One race: what happens, what must be true afterwards, and what a target needs to offer for it. */
export interface Scenario {
  readonly name: string;
  /** One sentence for people: what goes wrong in products that lose it. */
  readonly about: string;
  readonly needs: readonly Offer[];
  play(scene: Scene): Promise<void>;
}

export interface Scene {
  readonly target: RunningTarget;
  readonly stage: Stage;
  /** The project that the target's sessions work in. */
  readonly directory: string;
  /** Notes a moment for the report. */
  readonly note: (text: string) => void;
  /** Submits a prompt that the stage knows by this name. */
  readonly submit: (
    sessionId: string,
    name: string,
    options?: { promptId?: string },
  ) => Promise<string>;
  /** How a prompt ended; fails the scenario when that does not come in time. */
  readonly ending: (sessionId: string, promptId: string) => Promise<Ending>;
  /** Fails the scenario when this does not come in time. */
  readonly within: <T>(what: string, promise: Promise<T>) => Promise<T>;
  readonly expect: (what: string, actual: unknown, wanted: unknown) => void;
}

export type Verdict =
  | { readonly status: "passed" }
  | { readonly status: "failed"; readonly reason: string }
  | { readonly status: "notOffered"; readonly missing: readonly Offer[] };

export interface Played {
  readonly scenario: string;
  readonly verdict: Verdict;
  readonly seconds: number;
  /** What happened when, in milliseconds from the scenario's start. */
  readonly timeline: readonly { readonly at: number; readonly what: string }[];
}

/** How long anything may take: far beyond what a slow machine needs, so that only the lost are late. */
const patience = 20_000;

class Failed extends Error {}

export async function playScenario(target: Target, scenario: Scenario): Promise<Played> {
  const began = performance.now();
  const timeline: { at: number; what: string }[] = [];
  const note = (what: string): void => {
    timeline.push({ at: Math.round(performance.now() - began), what });
  };
  const finish = (verdict: Verdict): Played => ({
    scenario: scenario.name,
    verdict,
    seconds: (performance.now() - began) / 1000,
    timeline,
  });
  const missing = scenario.needs.filter((offer) => !target.offers.has(offer));
  if (missing.length > 0) return finish({ status: "notOffered", missing });
  const scratch = mkdtempSync(join(tmpdir(), "gauntlet-"));
  const folder = join(scratch, "data");
  const directory = join(scratch, "project");
  mkdirSync(folder);
  mkdirSync(directory);
  const stage = await openStage();
  let running: RunningTarget | null = null;
  try {
    const model = { address: stage.address, name: "gauntlet" };
    running = await target.start({ folder, directory, model });
    note("the target runs");
    await scenario.play(sceneOf({ target: running, stage, directory, note }));
    return finish({ status: "passed" });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    note(`failed: ${reason}`);
    return finish({
      status: "failed",
      reason: error instanceof Failed ? reason : `broke: ${reason}`,
    });
  } finally {
    await running?.stop();
    await stage.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function sceneOf(parts: {
  target: RunningTarget;
  stage: Stage;
  directory: string;
  note: (text: string) => void;
}): Scene {
  const { target, stage, directory, note } = parts;
  return {
    target,
    stage,
    directory,
    note,
    within,
    submit: async (sessionId, name, options = {}) => {
      const promptId = await within(
        `the acknowledgement of ${name}`,
        target.submit(sessionId, { text: stage.prompt(name), ...options }),
      );
      note(`${name} is acknowledged`);
      return promptId;
    },
    ending: async (sessionId, promptId) => {
      const giveUp = new AbortController();
      try {
        const ending = await within(
          `the end of ${promptId}`,
          target.ending({ sessionId, promptId }, giveUp.signal),
        );
        note(`${promptId} ${ending}`);
        return ending;
      } finally {
        giveUp.abort();
      }
    },
    expect: (what, actual, wanted) => {
      const [left, right] = [JSON.stringify(actual), JSON.stringify(wanted)];
      if (left !== right) throw new Failed(`${what}: wanted ${right}, got ${left}`);
    },
  };
}

async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Failed(`${what} did not come`)), patience);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
