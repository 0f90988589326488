import { setTimeout as delay } from "node:timers/promises";
import type { Scene } from "../scenario.ts";

/** A run that is about to end, or just has, and the name of what is to meet it. */
export interface AroundEnd {
  readonly sessionId: string;
  readonly first: string;
  readonly firstId: string;
  readonly second: string;
}

/**
 * So many milliseconds after the model's last words: tried with more and more of them, it is first before
 * the answer is whole, and in the end well after the run has ended.
 */
export async function aroundEnd(
  { target, stage, submit, within }: Scene,
  milliseconds: number,
): Promise<AroundEnd> {
  const sessionId = await target.createSession();
  const [first, second] = [`first-${milliseconds}`, `second-${milliseconds}`];
  const call = stage.hold(first);
  const firstId = await submit(sessionId, first);
  await within(`the model's call for ${first}`, call.arrived);
  call.finish();
  await delay(milliseconds);
  return { sessionId, first, firstId, second };
}
