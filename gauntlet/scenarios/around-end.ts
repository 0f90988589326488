import { setTimeout as delay } from "node:timers/promises";
import type { ScenarioContext } from "../scenario.ts";

/** A run that is about to end or has just ended, and the name of the prompt to send at that moment. */
export interface AroundEnd {
  readonly sessionId: string;
  readonly first: string;
  readonly firstId: string;
  readonly second: string;
}

/** Longest delay in milliseconds between the model's last text and the next prompt. */
const spread = 24;

/**
 * Waits after the model has sent its last text. The delay grows with each try, from 0 to `spread` milliseconds. After a
 * short delay, the target is still processing the text; after a long one, the run has ended.
 */
export async function aroundEnd(
  { target, stage, submit, withTimeout, note }: ScenarioContext,
  { index, times }: { index: number; times: number },
): Promise<AroundEnd> {
  const sessionId = await target.createSession();
  const [first, second] = [`first-${index}`, `second-${index}`];
  const call = stage.hold(first);
  const firstId = await submit(sessionId, first);
  await withTimeout(`the model's call for ${first}`, call.arrived);
  call.finish();
  const pause = times < spread ? Math.floor((index * spread) / times) : index % spread;
  await delay(pause);
  note(`${second} comes ${pause} ms after the model's last text`);
  return { sessionId, first, firstId, second };
}
