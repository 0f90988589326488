import { playScenario } from "./scenario.ts";
import type { Played, Scenario } from "./scenario.ts";
import type { Report } from "./report.ts";
import type { Target } from "./target.ts";

/** Plays the scenarios one after the other, each on a target of its own with nothing in it. */
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
    const result = await playScenario(target, scenario);
    played.push(result);
    onPlayed?.(result);
  }
  return { target: target.name, played };
}
