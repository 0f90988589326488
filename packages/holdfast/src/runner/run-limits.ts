import type { SetupLimits } from "../agent/setup.ts";
import type { Budget, OnBudget } from "../kernel/state.ts";
import {
  bounds,
  checkBudget,
  checkDuration,
  checkWhole,
  firstRefusal,
} from "../kernel/validate.ts";

/** Limits of a run, and the policy after an interruption. */
export interface RunSettings {
  readonly maxSteps: number;
  readonly stopGrace: number;
  readonly budget: Budget | null;
  readonly onBudget: OnBudget;
  /** Milliseconds that a request for a higher budget limit stays open; null: forever. */
  readonly askTime: number | null;
  readonly recovery: "resume" | "hold" | "settle";
}

/** Merges settings: those of the directory override those of the runtime. */
export function settingsOf(runtime: RunSettings, own: SetupLimits | null): RunSettings {
  return {
    maxSteps: own?.maxSteps ?? runtime.maxSteps,
    stopGrace: own?.stopGrace ?? runtime.stopGrace,
    budget: own?.budget ?? runtime.budget,
    onBudget: own?.onBudget ?? runtime.onBudget,
    askTime: own?.askTime ?? runtime.askTime,
    recovery: own?.recovery ?? runtime.recovery,
  };
}

/** Checks the settings before any run uses them. Throws a RangeError for a value with which no run could start. */
export function checkSettings(settings: RunSettings): void {
  const refused = firstRefusal(
    checkWhole("maxSteps", settings.maxSteps, { least: 1, most: bounds.steps }),
    checkDuration("stopGrace", settings.stopGrace),
    checkDuration("askTime", settings.askTime),
    checkBudget(settings.budget),
  );
  if (refused !== null) throw new RangeError(refused.refusal.message);
}
