import { flood } from "../packages/holdfast/test/server/flood/flood.ts";
import type { Latency } from "../packages/holdfast/test/server/flood/flood.ts";
import { readArguments } from "./read-arguments.ts";

const usage = `npm run flood -- [options]

Imports large sessions into a server, all at once, and measures how long other clients of the
server wait meanwhile. See docs/OPERATIONS.md.

  --megabytes N     Import files of N megabytes each (default: 60)
  --imports N       Run N imports at the same time (default: 6)
  --filling KIND    Import only documents with large attachments, with many prompts, or with
                    invalid content: attachments, prompts or invalid
  --idle N          Measure the idle server first for N milliseconds (default: 5000)`;

const { values } = readArguments({
  usage,
  lists: { filling: ["attachments", "prompts", "invalid"] },
  options: {
    megabytes: { type: "string", default: "60" },
    idle: { type: "string", default: "5000" },
    filling: { type: "string" },
    imports: { type: "string", default: "6" },
  },
});
const kinds = (["attachments", "prompts", "invalid"] as const).filter(
  (kind) => values.filling === undefined || kind === values.filling,
);
const places = Array.from({ length: Number(values.imports) }, (_, place) => place);
const fillings = places.flatMap((place) => kinds[place % kinds.length] ?? []);
const bytes = Number(values.megabytes) * 1_000_000;
const result = await flood({ fillings, bytes, idleFor: Number(values.idle) });
const { idle, loaded, memory, attempts, outcome, imports, duration } = result;

console.log(
  `${fillings.length} imports of ${values.megabytes} MB in ${(duration / 1000).toFixed(1)} s:`,
);
for (const answer of imports) console.log(`  ${answer}`);
console.log(`small requests, idle:   ${shown(idle)}`);
console.log(`small requests, loaded: ${shown(loaded)}`);
console.log(`p99 loaded / idle: ${(loaded.p99 / idle.p99).toFixed(1)}`);
console.log(`memory: ${Math.round(memory / 1_000_000)} MB`);
console.log(`the run in another session: attempt ${attempts}, then ${outcome}`);

const broken = [
  ...(loaded.p99 < 250 ? [] : ["p99 is 250 ms or more"]),
  ...(loaded.failed === 0 ? [] : [`${loaded.failed} small requests failed`]),
  ...(memory < 500_000_000 ? [] : ["the server took 500 MB or more"]),
  ...(attempts === 1 && outcome === "cancelled sessionCancel" ? [] : ["the run was interrupted"]),
];
for (const problem of broken) console.error(`broken: ${problem}`);
process.exitCode = broken.length === 0 ? 0 : 1;

function shown({ requests, median, p99, worst, failed }: Latency): string {
  const times = [median, p99, worst].map((time) => time.toFixed(1));
  return `${requests}, median ${times[0]} ms, p99 ${times[1]} ms, worst ${times[2]} ms, ${failed} failed`;
}
