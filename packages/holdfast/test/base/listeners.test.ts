import assert from "node:assert/strict";
import { test } from "node:test";
import { addListener } from "../../src/base/listeners.ts";

test("a listener that is added twice is called twice, and each registration is removed separately", () => {
  const listeners = new Set<(text: string) => void>();
  const heard: string[] = [];
  const listener = (text: string): void => void heard.push(text);
  const [first, second] = [addListener(listeners, listener), addListener(listeners, listener)];
  const tell = (text: string): void => {
    for (const each of listeners) each(text);
  };
  tell("both");
  first();
  first();
  tell("one");
  second();
  tell("none");
  assert.deepEqual(heard, ["both", "both", "one"]);
});
