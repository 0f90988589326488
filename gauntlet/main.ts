import { parseArgs } from "node:util";
import { play, stores } from "./play.ts";
import { line, summary, timeline } from "./report.ts";
import type { Report } from "./report.ts";
import { scenarios } from "./scenarios/all.ts";

// The gauntlet: races that products lose, played against a target through its public interface.

const help = `npm run gauntlet -- [options]

  --target holdfast        what to play against (the only one so far)
  --store sqlite,postgres  on which stores; both if left out
  --only WORDS             only scenarios with these words in their name
  --list                   name the scenarios and say what each is about
  --json                   the report as one JSON document
  --help                   this text

It exits with 1 when a scenario failed.`;

process.exitCode = await main();

async function main(): Promise<number> {
  const values = read();
  if (values === null) return 2;
  const { only = "" } = values;
  const chosen = scenarios.filter(({ name }) => name.includes(only));
  const wanted = (values.store ?? stores.join(",")).split(",");
  const unknown = wanted.filter((store) => !stores.some((known) => known === store));
  if (values.help === true) console.log(help);
  if (values.list === true)
    for (const { name, about } of chosen) console.log(`${name}\n    ${about}`);
  if (values.help === true || values.list === true) return 0;
  if ((values.target ?? "holdfast") !== "holdfast") return complain("there is no such target");
  if (unknown.length > 0) return complain(`there is no store ${unknown.join(", ")}`);
  if (chosen.length === 0) return complain(`no scenario has "${only}" in its name; see --list`);
  const reports: Report[] = [];
  const quiet = values.json === true;
  for (const store of stores.filter((known) => wanted.includes(known))) {
    if (!quiet) console.log(`holdfast on ${store}`);
    const report = await play({
      store,
      scenarios: chosen,
      onPlayed: (played) => {
        if (quiet) return;
        console.log(`  ${line(played)}`);
        if (played.verdict.status === "failed") console.log(timeline(played));
      },
    });
    reports.push(report);
    if (!quiet) console.log(`  ${summary(report)}\n`);
  }
  if (quiet) console.log(JSON.stringify(reports, null, 2));
  const failed = reports.some(({ played }) =>
    played.some(({ verdict }) => verdict.status === "failed"),
  );
  return failed ? 1 : 0;
}

function read(): ReturnType<typeof parse>["values"] | null {
  try {
    return parse().values;
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return null;
  }
}

function parse() {
  return parseArgs({
    options: {
      target: { type: "string" },
      store: { type: "string" },
      only: { type: "string" },
      list: { type: "boolean" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
}

function complain(message: string): number {
  console.error(`gauntlet: ${message}; --help shows what there is`);
  return 2;
}
