import { afterEach } from "node:test";
import { configureGlobal } from "fast-check";

// Loaded before the tests of a mutant. Turns the mutant on, fixes the seed of random tests and ends the process at the
// first failure, because one failed test is enough to catch a mutant.

declare global {
  var mutant: number;
}

globalThis.mutant = Number(process.env["HOLDFAST_MUTANT"] ?? -1);
configureGlobal({ seed: 1, endOnFailure: true });
afterEach((test) => {
  if ("passed" in test && !test.passed) process.exit(1);
});
