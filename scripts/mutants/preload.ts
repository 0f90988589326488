import { configureGlobal } from "fast-check";

// Loaded before the tests of a mutant: turns it on, and makes random tests repeat themselves and
// stop at their first finding, for it is not going to be read.

declare global {
  var mutant: number;
}

globalThis.mutant = Number(process.env["HOLDFAST_MUTANT"] ?? -1);
configureGlobal({ seed: 1, endOnFailure: true });
