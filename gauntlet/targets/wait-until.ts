import { setTimeout as delay } from "node:timers/promises";

const limitMs = 30_000;

/** Waits until the condition is true. Fails after 30 s with the description, so that no scenario hangs without a message. */
export async function waitUntil(description: string, isTrue: () => boolean): Promise<void> {
  const end = performance.now() + limitMs;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`waited ${limitMs / 1_000} s for ${description}`);
    await delay(5);
  }
}
