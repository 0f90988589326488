import { test } from "node:test";
import { array, assert, constant, nat, oneof, property, record } from "fast-check";
import { optionCount } from "./model/choose.ts";
import { play } from "./model/play.ts";

// HOLDFAST_RUNS asks for more stories than fit into a quick test run; HOLDFAST_SEED plays those of a
// failure again, which prints its seed.
const { HOLDFAST_RUNS: runs = "1000", HOLDFAST_SEED: seed } = process.env;

const choice = record({
  op: nat(optionCount - 1),
  a: oneof({ weight: 3, arbitrary: constant(0) }, nat(2)),
  b: nat(1_000_000),
  c: nat(1_000_000),
});

test("P1 to M9: over long random stories the kernel does what a plain model of them does", () => {
  const story = array(choice, { maxLength: 300, size: "max" });
  const repeat = seed === undefined ? {} : { seed: Number(seed) };
  assert(property(story, play), { numRuns: Number(runs), ...repeat });
});
