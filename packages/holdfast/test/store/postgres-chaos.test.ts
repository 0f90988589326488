import { test } from "node:test";
import { surviveFaults } from "./postgres-chaos/faults.ts";

// The short form of postgres-chaos.story.ts.

test("P1 P2 L1 L5 C4 T2: processes are killed, frozen and cut off, nothing is lost and no answer is wrong", (t) =>
  surviveFaults(t, { prompts: 10, faults: 6 }));
