import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/base/time.ts";
import { persist } from "../../src/store/persist.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { createLink } from "./support/link.ts";
import type { Channel, Message } from "./support/link.ts";

test("a store error that crosses a link is retried on the other side", async () => {
  const [near, far] = channelPair();
  let calls = 0;
  createLink(far).offer("read", () => {
    calls += 1;
    if (calls === 1) throw new StoreError("storeFull", "the disk is full");
    return "value";
  });
  const link = createLink(near);
  const codes: unknown[] = [];
  const read = async (): Promise<unknown> => {
    try {
      return await link.call("read");
    } catch (error) {
      codes.push(error instanceof StoreError ? error.code : error);
      throw error;
    }
  };
  assert.equal(await persist(read, systemClock), "value");
  assert.deepEqual(codes, ["storeFull"]);
});

/** Two ends of a channel that copies messages, as the channel between two processes does. */
function channelPair(): [Channel, Channel] {
  const listeners: ((message: Message) => void)[][] = [[], []];
  const end = (own: number): Channel => ({
    send: (message) => {
      const copy = structuredClone(message);
      queueMicrotask(() => listeners[1 - own]?.forEach((listener) => listener(copy)));
    },
    listen: (listener) => void listeners[own]?.push(listener),
  });
  return [end(0), end(1)];
}
