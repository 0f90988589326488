import type { Report } from "./report.ts";
import { playScenario } from "./scenario.ts";
import type { Played, Scenario } from "./scenario.ts";
import { NotStarted } from "./target.ts";
import type { Target } from "./target.ts";

/**
 * Runs the scenarios in sequence, each on a new, empty target. Throws if the target never starts. Stops early if the
 * target never calls its model, because then every scenario would only time out.
 */
export async function play(options: {
  target: Target;
  scenarios: readonly Scenario[];
  /** Milliseconds after which an expected result counts as missing. */
  timeout?: number | undefined;
  onPlay?: (scenario: Scenario) => void;
  onPlayed?: (played: Played) => void;
}): Promise<Report> {
  const { target, scenarios, timeout, onPlay, onPlayed } = options;
  const played: Played[] = [];
  for (const scenario of scenarios) {
    onPlay?.(scenario);
    const result = await playScenario(target, scenario, { timeout }).catch(
      (error: unknown): Played => {
        if (!(error instanceof NotStarted && played.some(hasStarted))) throw error;
        const verdict = { status: "failed", reason: error.message } as const;
        return {
          scenario: scenario.name,
          about: scenario.about,
          verdict,
          seconds: 0,
          timeline: [],
        };
      },
    );
    played.push(result);
    onPlayed?.(result);
    if (played.filter(hasStarted).length > 1 && !hasReachedModel(played)) break;
  }
  return { target: target.name, played };
}

function hasStarted({ timeline }: Played): boolean {
  return timeline.length > 0;
}

/**
 * Returns false if the tested program started but never called its model: then the results say nothing about the
 * program.
 */
export function hasReachedModel(played: readonly Played[]): boolean {
  const moments = played.flatMap(({ timeline }) => timeline);
  return moments.length === 0 || moments.some(({ who }) => who === "model");
}
