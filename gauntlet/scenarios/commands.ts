import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ScenarioContext } from "../scenario.ts";
import { NotOffered } from "../target.ts";
import type { WantedCall } from "../target.ts";

// Commands that leave a trace in the project, to count how often they ran.

/**
 * Returns a command that appends a line to a file. An endless command ends when its directory is removed, even if the
 * target leaves it running.
 */
export function commandOf(
  { target }: ScenarioContext,
  name: string,
  { isEndless = false }: { isEndless?: boolean } = {},
): WantedCall {
  const rest = isEndless ? `; while [ -e "$PWD" ]; do sleep 0.1; done` : "";
  return target.calls.command(`echo ran >> ${name}${rest}`);
}

export function timesRun({ directory }: ScenarioContext, name: string): number {
  const file = join(directory, name);
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

/**
 * Waits for the trace. A command with a result but no trace was blocked, for example by a sandbox.
 */
export async function hasRun(context: ScenarioContext, name: string): Promise<void> {
  while (timesRun(context, name) === 0) {
    const { messages = [] } = context.stage.callsFor(name).at(-1) ?? {};
    const [result] = messages.flatMap(({ results }) => results);
    if (result !== undefined && timesRun(context, name) === 0) {
      const why = `the command did not run: ${result.text.trim().slice(0, 200)}`;
      throw new NotOffered({ offer: "commands", why });
    }
    await delay(20, undefined, { signal: context.over });
  }
}
