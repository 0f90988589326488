import { setTimeout as delay } from "node:timers/promises";
import type { Scene } from "../scenario.ts";

/** A run that is about to end, or just has, and the name of what is to meet it. */
export interface AroundEnd {
  readonly sessionId: string;
  readonly first: string;
  readonly firstId: string;
  readonly second: string;
}

/** How far the moments are spread, in milliseconds. */
const spread = 24;

/**
 * Some milliseconds after the model's last words: tried with more and more of them, it is first before the
 * answer is whole, and in the end well after the run has ended.
 */
export async function aroundEnd(
  { target, stage, submit, within, note }: Scene,
  index: number,
): Promise<AroundEnd> {
  const sessionId = await target.createSession();
  const [first, second] = [`first-${index}`, `second-${index}`];
  const call = stage.hold(first);
  const firstId = await submit(sessionId, first);
  await within(`the model's call for ${first}`, call.arrived);
  call.finish();
  await delay(index % spread);
  note(`${second} comes ${index % spread} ms after the model's last words`);
  return { sessionId, first, firstId, second };
}
