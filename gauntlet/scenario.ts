import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openScratchFolder } from "./scratch-folder.ts";
import { openStage } from "./stage.ts";
import type { Stage } from "./stage.ts";
import { watchStarts } from "./targets/target-process.ts";
import { NotOffered, NotStarted } from "./target.ts";
import type { Ending, Missing, Offer, Offers, RunningTarget, Setting, Target } from "./target.ts";

/** One race condition: its steps, the conditions that must hold afterwards, and the features that a target needs. */
export interface Scenario {
  readonly name: string;
  /** One sentence: the fault of products that fail this scenario. */
  readonly about: string;
  readonly needs: readonly Offer[];
  /** True: the target asks a person for permission before a command runs. */
  readonly asks?: true;
  play(context: ScenarioContext): Promise<void>;
}

export interface ScenarioContext {
  readonly target: RunningTarget;
  readonly offers: Offers;
  readonly stage: Stage;
  /** Project directory in which the sessions of the tested agent work. */
  readonly directory: string;
  /** Aborted at the end of the scenario, to end all waits. */
  readonly over: AbortSignal;
  /** Adds an entry to the timeline. */
  readonly note: Note;
  /** True if another vendor's agent calls the model. */
  readonly isForeign: boolean;
  /**
   * Returns how often a race can be tried: the wanted number, limited by the number of sessions that the target may
   * open. Each try needs one session.
   */
  readonly tries: (wanted: number) => number;
  /** Submits a prompt that contains the name, so that the test model (`Stage`) recognizes the prompt. */
  readonly submit: (
    sessionId: string,
    name: string,
    options?: { promptId?: string; tokens?: number; through?: RunningTarget },
  ) => Promise<string>;
  /** Sends a prompt into the active run. The prompt contains `name`, so that the test model recognizes the prompt. */
  readonly steer: (sessionId: string, name: string) => Promise<string>;
  /** Cancels the active run and the queue. */
  readonly cancel: (sessionId: string) => Promise<void>;
  /** Waits for the end of a prompt. Fails the scenario on timeout. */
  readonly ending: (sessionId: string, promptId: string) => Promise<Ending>;
  /** Fails the scenario if the promise takes too long. */
  readonly withTimeout: <T>(what: string, promise: Promise<T>) => Promise<T>;
  readonly expect: (what: string, actual: unknown, wanted: unknown) => void;
}

export type Verdict =
  | { readonly status: "passed" }
  | { readonly status: "failed"; readonly reason: string }
  | { readonly status: "notOffered"; readonly missing: readonly Missing[] };

/** Source of a timeline entry: the client, the target, or the model. */
export type Player = "client" | "target" | "model";

export interface Moment {
  /** Milliseconds since the start of the scenario. */
  readonly at: number;
  readonly who: Player;
  readonly what: string;
}

export type Note = (what: string, who?: Player) => void;

export interface Played {
  readonly scenario: string;
  readonly verdict: Verdict;
  readonly seconds: number;
  readonly about: string;
  /** Events of the scenario, in order. */
  readonly timeline: readonly Moment[];
}

/**
 * Timeout in milliseconds. Far more than a slow machine needs, so that only real failures time out.
 */
const usualTimeout = 20_000;

class Failed extends Error {}

async function started(
  target: Target,
  options: { setting: Setting; timeout: number },
): Promise<RunningTarget> {
  const { setting, timeout } = options;
  const late = Promise.withResolvers<never>();
  // The start may take longer than other steps, because a target may load for a while on a busy machine.
  const limit = 3 * timeout;
  const timer = setTimeout(
    () => late.reject(new Error(`it was not ready within ${limit / 1_000} seconds`)),
    limit,
  );
  const killStarted = watchStarts();
  try {
    return await Promise.race([target.start(setting), late.promise]);
  } catch (cause) {
    killStarted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NotStarted(`${target.name} does not start: ${reason}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Runs one scenario. Throws if the target does not start. */
export async function playScenario(
  target: Target,
  scenario: Scenario,
  { timeout = usualTimeout }: { timeout?: number | undefined } = {},
): Promise<Played> {
  const began = performance.now();
  const timeline: Moment[] = [];
  const note: Note = (what, who = "client") => {
    timeline.push({ at: Math.round(performance.now() - began), who, what });
  };
  const finish = (verdict: Verdict): Played => ({
    scenario: scenario.name,
    about: scenario.about,
    verdict,
    seconds: (performance.now() - began) / 1000,
    timeline,
  });
  const missing = scenario.needs.flatMap((offer) => {
    const offered = target.offers[offer];
    return offered === true ? [] : [{ offer, why: offered.missing }];
  });
  if (missing.length > 0) return finish({ status: "notOffered", missing });
  const scratch = openScratchFolder();
  const folder = join(scratch.path, "data");
  const directory = join(scratch.path, "project");
  mkdirSync(folder);
  mkdirSync(directory);
  const { isForeign = false } = target;
  const stage = await openStage({ onMoment: (what) => note(what, "model"), isForeign });
  const ending = new AbortController();
  let running: RunningTarget | null = null;
  try {
    const model = { address: stage.address, name: "gauntlet" };
    const setting = { folder, directory, model, asks: scenario.asks === true };
    const noted = { ...setting, note: (what: string) => note(what, "target") };
    running = await started(target, { setting: noted, timeout });
    note("is running", "target");
    const { offers, mostSessions = Infinity } = target;
    const tries = (wanted: number): number => Math.min(wanted, mostSessions);
    const over = ending.signal;
    const place = { stage, directory, over, isForeign };
    const base = { target: running, offers, ...place, note, tries, timeout };
    await scenario.play(contextOf(base));
    return finish({ status: "passed" });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    note(`gives up: ${reason}`);
    if (error instanceof NotStarted) throw error;
    if (error instanceof NotOffered) {
      return finish({ status: "notOffered", missing: [error.missing] });
    }
    return finish({
      status: "failed",
      reason: error instanceof Failed ? reason : `broke: ${reason}`,
    });
  } finally {
    ending.abort();
    await running?.stop();
    await stage.close();
    scratch.close();
  }
}

function contextOf(base: {
  target: RunningTarget;
  offers: Offers;
  stage: Stage;
  directory: string;
  over: AbortSignal;
  isForeign: boolean;
  note: Note;
  tries: (wanted: number) => number;
  timeout: number;
}): ScenarioContext {
  const { target, offers, stage, directory, over, isForeign, note, tries, timeout } = base;
  const names = new Map<string, string>();
  const withTimeout: ScenarioContext["withTimeout"] = async (what, promise) => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Failed(`${what} did not come`)), timeout);
    try {
      return await Promise.race([promise, late.promise, stage.lacking]);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    target,
    offers,
    stage,
    directory,
    over,
    isForeign,
    note,
    tries,
    withTimeout,
    submit: async (sessionId, name, { through = target, ...options } = {}) => {
      note(`sends ${name}`);
      const promptId = await withTimeout(
        `the acknowledgement of ${name}`,
        through.submit(sessionId, { text: stage.prompt(name), ...options }),
      );
      names.set(promptId, name);
      note(`acknowledges ${name}`, "target");
      return promptId;
    },
    steer: async (sessionId, name) => {
      note(`steers with ${name}`);
      const promptId = await withTimeout(
        `the acknowledgement of ${name}`,
        target.steer(sessionId, stage.prompt(name)),
      );
      names.set(promptId, name);
      note(`acknowledges ${name}`, "target");
      return promptId;
    },
    cancel: async (sessionId) => {
      note("cancels");
      await withTimeout("the answer to the cancel", target.cancel(sessionId));
      note("acknowledges the cancel", "target");
    },
    ending: async (sessionId, promptId) => {
      const giveUp = new AbortController();
      try {
        const name = names.get(promptId) ?? promptId;
        const ending = await withTimeout(
          `the end of ${name}`,
          target.ending({ sessionId, promptId }, giveUp.signal),
        );
        note(`reports ${name}: ${ending}`, "target");
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
