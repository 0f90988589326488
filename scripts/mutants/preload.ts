import { configureGlobal } from "fast-check";

// Loaded before the tests of a mutant. Turns the mutant on, fixes the seed of random tests and makes them stop at the
// first failure, because nobody reads the details.

declare global {
  var mutant: number;
}

globalThis.mutant = Number(process.env["HOLDFAST_MUTANT"] ?? -1);
configureGlobal({ seed: 1, endOnFailure: true });
