import { mark, reason, summary } from "./report.ts";
import type { Report } from "./report.ts";
import type { Moment, Played } from "./scenario.ts";

/** The reports as one page that needs nothing else: tables, and a timeline of each failing scenario. */
export function htmlReport(reports: readonly Report[], when: Date): string {
  const day = when.toISOString().slice(0, 16).replace("T", " ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The gauntlet</title>
<style>${style}</style>
</head>
<body>
<h1>The gauntlet</h1>
<p>Races that agent servers lose, played through their public interfaces. ${day} UTC, ${escape(machine())}.</p>
${reports.map(section).join("\n")}
</body>
</html>
`;
}

function machine(): string {
  return `${process.platform}-${process.arch}`;
}

function section(report: Report): string {
  const rows = report.played.map(row).join("\n");
  const failing = report.played.filter(({ verdict }) => verdict.status === "failed");
  return `<h2>${escape(summary(report))}</h2>
<table>
<thead><tr><th>verdict</th><th>scenario</th><th>seconds</th><th>why</th></tr></thead>
<tbody>
${rows}
</tbody>
</table>
${failing.map(story).join("\n")}`;
}

function row({ scenario, about, verdict, seconds }: Played): string {
  const cells = [
    `<td class="${verdict.status}">${mark(verdict)}</td>`,
    `<td><b>${escape(scenario)}</b><br>${escape(about)}</td>`,
    `<td class="number">${seconds.toFixed(1)}</td>`,
    `<td>${escape(reason(verdict))}</td>`,
  ];
  return `<tr>${cells.join("")}</tr>`;
}

function story({ scenario, verdict, timeline }: Played): string {
  return `<details open>
<summary>${escape(scenario)}: ${escape(reason(verdict))}</summary>
<table class="timeline">
<thead><tr><th>ms</th><th>client</th><th>target</th><th>model</th></tr></thead>
<tbody>
${timeline.map(momentRow).join("\n")}
</tbody>
</table>
</details>`;
}

function momentRow({ at, who, what }: Moment): string {
  const cell = (player: Moment["who"]): string => `<td>${player === who ? escape(what) : ""}</td>`;
  return `<tr><td class="number">${at}</td>${cell("client")}${cell("target")}${cell("model")}</tr>`;
}

/** Reasons carry what targets say: none of it is markup. */
function escape(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const style = `
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1.5rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem; border-bottom: 1px solid #8884; }
td { overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.passed { color: #17803d; } .failed { color: #c01c28; font-weight: bold; } .notOffered { color: #777; }
summary { cursor: pointer; font-weight: bold; }
.timeline { font-size: 13px; table-layout: fixed; } .timeline th:first-child { width: 5rem; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd; } .passed { color: #4ade80; } .failed { color: #f87171; } }
`;
