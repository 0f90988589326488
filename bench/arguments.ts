import type { Benchmark } from "./benchmark.ts";
import { engineNames } from "./engine/engine.ts";
import type { EngineName } from "./engine/engine.ts";

export type Request =
  | { readonly kind: "list" }
  | {
      readonly kind: "run";
      readonly benchmark: Benchmark;
      readonly engines: readonly EngineName[];
      readonly quick: boolean;
      readonly full: boolean;
      readonly only: string | null;
      readonly json: boolean;
    }
  /** The arguments are invalid; the message says how to fix them. */
  | { readonly kind: "problem"; readonly message: string };

export function parseArguments(words: readonly string[], known: readonly Benchmark[]): Request {
  let engines: readonly EngineName[] = engineNames;
  let name: string | null = null;
  let only: string | null = null;
  const flags = new Set<string>();
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--engine" || word.startsWith("--engine=")) {
      const value = word.includes("=") ? word.slice(word.indexOf("=") + 1) : rest.shift();
      const engine = engineNames.find((candidate) => candidate === value);
      if (engine === undefined) return problem(`--engine must be one of ${engineNames.join(", ")}`);
      engines = [engine];
    } else if (word === "--only" || word.startsWith("--only=")) {
      only = (word.includes("=") ? word.slice(word.indexOf("=") + 1) : rest.shift()) ?? "";
    } else if (flagNames.includes(word)) {
      flags.add(word);
    } else if (word === "--help") {
      return { kind: "list" };
    } else if (word.startsWith("-")) {
      const flags = "--json, --quick, --full, --engine and --only";
      return problem(`unknown flag ${word}; the flags are ${flags}`);
    } else if (name === null) {
      name = word;
    } else {
      return problem(`give one benchmark at a time: ${name} or ${word}`);
    }
  }
  if (name === null) {
    return words.length === 0 ? { kind: "list" } : problem("name the benchmark to run");
  }
  const benchmark = known.find((candidate) => candidate.name === name);
  if (benchmark === undefined) {
    const names = known.map((candidate) => candidate.name).join(", ");
    return problem(`unknown benchmark ${name}; the benchmarks are ${names}`);
  }
  const { parts = [] } = benchmark;
  if (only !== null && !parts.includes(only)) {
    return parts.length === 0
      ? problem(`${name} has no parts; leave out --only`)
      : problem(`${name} has the parts ${parts.join(", ")}; use one of them with --only`);
  }
  if (flags.has("--quick") && flags.has("--full")) {
    return problem("--quick and --full exclude each other; use one of them");
  }
  return {
    kind: "run",
    benchmark,
    engines,
    quick: flags.has("--quick"),
    full: flags.has("--full"),
    only,
    json: flags.has("--json"),
  };
}

const flagNames = ["--json", "--quick", "--full"];

function problem(message: string): Request {
  return { kind: "problem", message };
}
