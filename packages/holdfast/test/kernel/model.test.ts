import { test } from "node:test";
import { array, assert, constant, nat, oneof, property, record } from "fast-check";
import { optionCount } from "./model/choose.ts";
import { play } from "./model/play.ts";

// The same stories each time, so that a change is judged by what it changes. HOLDFAST_RUNS asks for so
// many others; HOLDFAST_SEED plays those of a failure again, which prints its seed.
const { HOLDFAST_RUNS: more, HOLDFAST_SEED: again } = process.env;
const runs = more ?? "1000";
const seed = again ?? (more === undefined ? "1" : undefined);

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
