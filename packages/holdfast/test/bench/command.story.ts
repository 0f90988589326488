import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { parseArguments } from "../../../../bench/arguments.ts";

const main = join(import.meta.dirname, "../../../../bench/main.ts");

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function bench(...words: string[]): Promise<Ended> {
  const flags = ["--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...flags, main, ...words]);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
}

test("without a name, the benchmarks are listed with one line each", async () => {
  const { code, stdout, stderr } = await bench();
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  const listed = stdout.split("\n\n")[0]?.split("\n") ?? [];
  const names = listed.map((line) => line.split(" ")[0]);
  assert.deepEqual(names.slice(0, 2), ["store", "runner"]);
  assert.deepEqual(
    listed.filter((line) => !/^\w+ +\w+/.test(line)),
    [],
  );
});

test("invalid arguments are refused with a message that says what is valid", () => {
  const cases: [words: string[], message: string][] = [
    [["nothing"], "unknown benchmark nothing; the benchmarks are one, two"],
    [
      ["one", "--fast"],
      "unknown flag --fast; the flags are --json, --quick, --full, --engine and --only",
    ],
    [["one", "--engine", "mongo"], "--engine must be one of sqlite, postgres"],
    [["one", "--engine"], "--engine must be one of sqlite, postgres"],
    [["one", "--only", "x"], "one has no parts; leave out --only"],
    [["one", "--quick", "--full"], "--quick and --full exclude each other; use one of them"],
    [["two", "--only=x"], "two has the parts a, b; use one of them with --only"],
    [["one", "two"], "give one benchmark at a time: one or two"],
    [["--json"], "name the benchmark to run"],
  ];
  const known = [
    { name: "one", summary: "one", run: neverRun },
    { name: "two", summary: "two", parts: ["a", "b"], run: neverRun },
  ];
  assert.deepEqual(
    cases.map(([words]) => parseArguments(words, known)),
    cases.map(([, message]) => ({ kind: "problem", message })),
  );
});

test("the command exits with 2 when it is refused", async () => {
  const message =
    "holdfast: unknown flag --fast; the flags are --json, --quick, --full, --engine and --only\n";
  assert.deepEqual(await bench("store", "--fast"), { code: 2, stdout: "", stderr: message });
});

test("--json prints one document of the documented shape, and nothing else", async () => {
  const words = ["--quick", "--json", "store", "--engine", "sqlite"];
  const { code, stdout } = await bench(...words);
  assert.equal(code, 0);
  const document: unknown = JSON.parse(stdout);
  assert.deepEqual(shapeOf(document), {
    benchmark: "string",
    quick: "boolean",
    machine: { cores: "number", platform: "string", node: "string" },
    figures: [
      {
        engine: "string",
        group: "string",
        name: "string",
        values: { perSecond: "number", p50Ms: "number", p99Ms: "number", cpuMs: "number" },
        ratios: [{ to: "string", value: "number" }],
      },
    ],
    targets: [
      {
        engine: "string",
        name: "string",
        bound: { atLeast: "number", atMost: "number" },
        value: "number",
        met: "boolean",
      },
    ],
  });
});

function neverRun(): never {
  throw new Error("arguments are only read here");
}

/** Replaces values by their types and merges the members of each list. NaN does not count as a number. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [value.map(shapeOf).reduce(merge)];
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shapeOf(field)]));
}

function merge(left: unknown, right: unknown): unknown {
  if (Array.isArray(left) && Array.isArray(right)) {
    const members = [...left, ...right];
    return members.length === 0 ? [] : [members.reduce(merge)];
  }
  if (!isRecord(left) || !isRecord(right)) return left === right ? left : [left, right];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return Object.fromEntries(
    Array.from(keys, (key) => {
      if (!(key in left)) return [key, right[key]];
      return [key, key in right ? merge(left[key], right[key]) : left[key]];
    }),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
