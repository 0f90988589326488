import { randomInt } from "node:crypto";
import { test } from "node:test";
import { array, assert, constant, nat, oneof, property, record } from "fast-check";
import { optionCount } from "./model/choose.ts";
import type { Choice } from "./model/choose.ts";
import { play } from "./model/play.ts";

// HOLDFAST_RUNS sets the number of random sequences; the default fits a quick test run. HOLDFAST_SEED repeats the
// sequences of a failure, which prints its seed.
const { HOLDFAST_RUNS: runs = "150", HOLDFAST_SEED: chosenSeed } = process.env;
const seed = chosenSeed === undefined ? randomInt(2 ** 31) : Number(chosenSeed);

const choice = record({
  op: nat(optionCount - 1),
  a: oneof({ weight: 3, arbitrary: constant(0) }, nat(2)),
  b: nat(1_000_000),
  c: nat(1_000_000),
});

test("P1 to M9: in long random command sequences the kernel agrees with a simple model", () => {
  const story = array(choice, { maxLength: 300, size: "max" });
  assert(property(story, tellFirst(play)), { numRuns: Number(runs), seed });
});

/** Prints a failure at once: finding a shorter example takes so long that the test may be stopped before. */
function tellFirst(attempt: (choices: readonly Choice[]) => void): typeof attempt {
  let isTold = false;
  return (choices) => {
    try {
      attempt(choices);
    } catch (error) {
      if (!isTold) process.stderr.write(`HOLDFAST_SEED=${seed} fails: ${String(error)}\n`);
      isTold = true;
      throw error;
    }
  };
}
