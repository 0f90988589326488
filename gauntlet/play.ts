import { NotStarted, playScenario } from "./scenario.ts";
import type { Played, Scenario } from "./scenario.ts";
import type { Report } from "./report.ts";
import type { Target } from "./target.ts";

/**
 * Runs the scenarios in sequence, each on a new, empty target. Throws if the target never starts.
 */
export async function play(options: {
  target: Target;
  scenarios: readonly Scenario[];
  onPlay?: (scenario: Scenario) => void;
  onPlayed?: (played: Played) => void;
}): Promise<Report> {
  const { target, scenarios, onPlay, onPlayed } = options;
  const played: Played[] = [];
  for (const scenario of scenarios) {
    onPlay?.(scenario);
    const result = await playScenario(target, scenario).catch((error: unknown): Played => {
      if (!(error instanceof NotStarted && played.some(hasStarted))) throw error;
      const verdict = { status: "failed", reason: error.message } as const;
      return { scenario: scenario.name, about: scenario.about, verdict, seconds: 0, timeline: [] };
    });
    played.push(result);
    onPlayed?.(result);
  }
  return { target: target.name, played };
}

function hasStarted({ timeline }: Played): boolean {
  return timeline.length > 0;
}
