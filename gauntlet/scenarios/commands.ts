import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ScenarioContext } from "../scenario.ts";
import { NotOffered } from "../target.ts";
import type { WantedCall } from "../target.ts";

// Commands that leave a trace in the project, to count how often they ran.

/**
 * Returns a call of a shell command that appends a line to the file `name`. With `isEndless`, the command then keeps
 * running until its directory is removed. So it ends after the test, even if the tested program does not stop it.
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
 * Waits until the command has written a line to the file `name`. If the command has a result but wrote no line,
 * something such as a sandbox blocked the command; then this function throws NotOffered.
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
