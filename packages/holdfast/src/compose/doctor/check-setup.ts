import { withTimeout } from "../../base/time.ts";
import { agentCheck } from "./agent-checks.ts";
import { unknown } from "./finding.ts";
import type { Check, Finding } from "./finding.ts";
import { machineChecks } from "./machine-checks.ts";
import { settingsChecks } from "./settings-checks.ts";

export interface SetupPlace {
  readonly store: string;
  /** Project directory whose config and MCP servers are checked. */
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  /** Milliseconds for each check. */
  readonly limit?: number;
}

/** Milliseconds for each check. Hosted agents get three times as long, because some need several seconds to start. */
const longest = 10_000;

/** Checks this machine and the settings. All checks run concurrently; the findings are returned in a fixed order. */
export async function* checkSetup(place: SetupPlace): AsyncGenerator<Finding> {
  const { limit = longest } = place;
  await using settings = settingsChecks(place);
  const running = [...machineChecks(place), ...settings.checks]
    .map((check) => findingsOf(check, limit))
    .concat(findingsOf(agentCheck({ ...place, limit: 2 * limit }), 3 * limit));
  for (const findings of running) yield* await findings;
}

async function findingsOf(check: Check, limit: number): Promise<readonly Finding[]> {
  const { subject, run } = check;
  const late = new AbortController();
  const advice = "check the network connection, and run `holdfast doctor` again";
  try {
    return await withTimeout(run(late.signal), {
      milliseconds: limit,
      late: () => [unknown(subject, `no answer within ${limit / 1_000} s`, advice)],
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [unknown(subject, `could not be checked: ${message}`)];
  } finally {
    late.abort();
  }
}
