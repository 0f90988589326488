import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "../../../src/server/metrics.ts";
import { openStreamFixture } from "./stream-fixture.ts";

// The rules of `promtool check metrics`, so that the tests need no Prometheus.

const onError = (error: unknown): never => {
  throw error;
};

test("all metrics follow the naming rules of Prometheus", async (context) => {
  const { runtime, follower, streams } = await openStreamFixture(context);
  const subscribers = () => streams.count();
  const metrics = createMetrics({
    runtime,
    follower,
    subscribers,
    now: Date.now,
    process: true,
    onError,
  });
  context.after(() => metrics.close());
  const [text] = await Promise.all([metrics.text(), metrics.text()]);
  assert.ok(text.includes("nodejs_heap_size_used_bytes") && text.includes("holdfast_runs_active"));
  assert.deepEqual(problemsIn(text), []);
});

test("the rules find bad names", () => {
  const cases: [text: string, problem: RegExp][] = [
    ["# HELP a_total help\n# TYPE a_total gauge\na_total 1", /a_total: only counters/],
    ["# HELP a help\n# TYPE a counter\na 1", /a: counters end in _total/],
    ["# TYPE a gauge\na 1", /a: no help/],
    ["# HELP aB help\n# TYPE aB gauge\naB 1", /snake_case/],
    ['# HELP a help\n# TYPE a gauge\na{bC="1"} 1', /snake_case/],
    ["# HELP a_ms help\n# TYPE a_ms gauge\na_ms 1", /abbreviated unit/],
    ["# HELP a_minutes help\n# TYPE a_minutes gauge\na_minutes 1", /base unit/],
    ["# HELP a_gauge help\n# TYPE a_gauge gauge\na_gauge 1", /its type/],
    ["# HELP a_count help\n# TYPE a_count gauge\na_count 1", /_count/],
    ['# HELP a help\n# TYPE a gauge\na{le="1"} 1', /label le/],
    ["# HELP a help\n# TYPE a gauge\n# TYPE a gauge\na 1", /twice/],
  ];
  for (const [text, problem] of cases) assert.match(problemsIn(text).join("\n"), problem, text);
});

const abbreviations = new Set([
  "s",
  "ms",
  "us",
  "ns",
  "sec",
  "b",
  "kb",
  "mb",
  "gb",
  "tb",
  "pb",
  "m",
  "h",
  "d",
]);
const otherUnits =
  /^(?:(?:milli|micro|nano)seconds?|minutes|hours|days|weeks|(?:kilo|mega|giga|tera|peta|kibi|mebi|gibi|tebi)bytes|bits|percent|fahrenheit|inches|miles)$/;

function problemsIn(text: string): string[] {
  const helps = new Set([...text.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name));
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const seen = new Set<string>();
  return types.flatMap(([, name = "", type = ""]) => {
    const parts = name.split("_");
    const isWide = type === "histogram" || type === "summary";
    const samples = [...text.matchAll(/^([A-Za-z_:][\w:]*)(?:\{(.*)\})? /gm)].filter(
      ([, sample = ""]) => sample === name || (isWide && sample.startsWith(`${name}_`)),
    );
    const labels = samples.flatMap(([, , list = ""]) =>
      [...list.matchAll(/([A-Za-z_]\w*)="/g)].map(([, label = ""]) => label),
    );
    const rules: [isBroken: boolean, problem: string][] = [
      [seen.has(name), "is defined twice"],
      [!helps.has(name), "no help"],
      [type === "counter" && !name.endsWith("_total"), "counters end in _total"],
      [type !== "counter" && name.endsWith("_total"), "only counters end in _total"],
      [!isWide && /_(?:count|sum|bucket)$/.test(name), "_count, _sum and _bucket are reserved"],
      [type !== "histogram" && labels.includes("le"), "has the label le"],
      [type !== "summary" && labels.includes("quantile"), "has the label quantile"],
      [name.includes(":"), "has a colon"],
      [[name, ...labels].some((word) => /[a-z][A-Z]/.test(word)), "is not in snake_case"],
      [parts.some((part) => abbreviations.has(part)), "has an abbreviated unit"],
      [parts.some((part) => otherUnits.test(part)), "has no base unit"],
      [parts.includes(type), "names its type"],
    ];
    seen.add(name);
    return rules.flatMap(([isBroken, problem]) => (isBroken ? [`${name}: ${problem}`] : []));
  });
}
