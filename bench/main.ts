import { availableParallelism } from "node:os";
import { parseArguments } from "./arguments.ts";
import type { Request } from "./arguments.ts";
import { benchmarks } from "./benchmarks.ts";
import { formatReport } from "./report.ts";
import type { Report } from "./report.ts";

// `npm run bench` lists the benchmarks; `npm run bench -- <name>` runs one.

const request = parseArguments(process.argv.slice(2), benchmarks);
switch (request.kind) {
  case "list":
    for (const { name, summary } of benchmarks) console.log(`${name.padEnd(10)} ${summary}`);
    console.log(
      "\nnpm run bench -- <name> [--quick | --full] [--json] [--engine sqlite|postgres] [--only <part>]",
    );
    break;
  case "problem":
    console.error(`holdfast: ${request.message}`);
    process.exitCode = 2;
    break;
  case "run":
    await run(request);
    break;
}

async function run({ benchmark, ...options }: Extract<Request, { kind: "run" }>): Promise<void> {
  const { json, ...asked } = options;
  const { quick } = asked;
  const progress = (message: string): void => console.error(`${benchmark.name}: ${message}`);
  const findings = await benchmark.run({ ...asked, progress });
  const report: Report = {
    benchmark: benchmark.name,
    quick,
    machine: {
      cores: availableParallelism(),
      platform: `${process.platform}-${process.arch}`,
      node: process.versions.node,
    },
    ...findings,
  };
  console.log(json ? JSON.stringify(report, null, 2) : formatReport(report));
}
