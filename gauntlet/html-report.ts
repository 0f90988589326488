import { style } from "./html-style.ts";
import { escapeMarkup } from "./markup.ts";
import { counts, reason } from "./report.ts";
import type { GauntletRecord, Report } from "./report.ts";
import type { Moment, Played } from "./scenario.ts";

/**
 * Formats the record as one self-contained HTML page. `badge` is the address of a badge that is published beside the
 * page.
 */
export function htmlReport(record: GauntletRecord, links: { badge?: string } = {}): string {
  const { reports } = record;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>The gauntlet</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>The gauntlet</h1>
<p>Race conditions that agents and agent servers often get wrong. Each scenario starts a new target with empty folders
and uses only its public interface.</p>
${about(record)}
</header>
<main>
<h2 id="verdicts">Verdicts</h2>
<ul class="sums">${reports.map(sum).join("")}</ul>
${matrix(record)}
<h2 id="races">What happened</h2>
${races(reports)
  .map((played, index) => race(record, { ...played, index }))
  .join("\n")}
${links.badge === undefined ? "" : badgeSection(links.badge)}
<h2 id="again">Run the gauntlet again</h2>
${again(record)}
</main>
</body>
</html>
`;
}

/** Lists every scenario in the reports once. */
function races(reports: readonly Report[]): Played[] {
  const all = reports.flatMap(({ played }) => played);
  return all.filter(({ scenario }, index) => {
    const first = all.findIndex((other) => other.scenario === scenario);
    return first === index;
  });
}

function playedIn({ played }: Report, name: string): Played | undefined {
  return played.find(({ scenario }) => scenario === name);
}

function about(record: GauntletRecord): string {
  const { at, machine } = record;
  const day = `<time datetime="${at}">${at.slice(0, 16).replace("T", " ")} UTC</time>`;
  const json = Buffer.from(JSON.stringify(record)).toString("base64");
  const link = `<a download="gauntlet.json" href="data:application/json;base64,${json}">gauntlet.json</a>`;
  return `<p class="about">${day} · ${escapeMarkup(machine)} · all of it as data: ${link}</p>`;
}

function sum(report: Report): string {
  const { passed, failed, notOffered } = counts(report);
  const bar = [
    ["passed", passed],
    ["failed", failed],
    ["notOffered", notOffered],
  ] as const;
  const parts = bar.filter(([, count]) => count > 0);
  const pieces = parts.map(([name, count]) => `<i class="${name}" style="flex: ${count}"></i>`);
  const told = parts.map(([name, count]) => `${count} ${words[name]}`);
  return `<li><b>${escapeMarkup(report.target)}</b>
<span class="bar" aria-hidden="true">${pieces.join("")}</span>
<span>${told.join(", ")}</span></li>`;
}

function matrix({ reports }: GauntletRecord): string {
  const heads = reports
    .map(({ target }) => `<th scope="col">${escapeMarkup(target)}</th>`)
    .join("");
  const rows = races(reports).map(({ scenario, about: lost }, index) => {
    const cells = reports.map((report) => cell(playedIn(report, scenario), index)).join("");
    const name = `<a href="#race-${index}">${escapeMarkup(scenario)}</a>`;
    return `<tr><th scope="row">${name}<small>${escapeMarkup(lost)}</small></th>${cells}</tr>`;
  });
  return `<div class="wide" role="region" aria-labelledby="verdicts" tabindex="0">
<table class="matrix">
<thead><tr><th scope="col">race, and how it is lost</th>${heads}</tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>
</div>`;
}

function cell(played: Played | undefined, index: number): string {
  if (played === undefined) return "<td></td>";
  const { status } = played.verdict;
  const word = status === "failed" ? `<a href="#race-${index}">failed</a>` : words[status];
  return `<td class="${status}">${word}</td>`;
}

const words = { passed: "passed", failed: "failed", notOffered: "not offered" } as const;

/** Formats one scenario with its results for every target. */
function race({ reports }: GauntletRecord, shown: Played & { readonly index: number }): string {
  const { index, scenario, about: lost } = shown;
  const parts = reports.flatMap((report) => {
    const own = playedIn(report, scenario);
    return own === undefined ? [] : [story(report.target, own)];
  });
  return `<section aria-labelledby="race-${index}">
<h3 id="race-${index}">${escapeMarkup(scenario)}</h3>
<p>${escapeMarkup(lost)}</p>
${parts.join("\n")}
</section>`;
}

function story(target: string, { verdict, seconds, timeline }: Played): string {
  const { status } = verdict;
  const why =
    reason(verdict) === "" ? "" : `<span class="why">· ${escapeMarkup(reason(verdict))}</span>`;
  const head = `<b>${escapeMarkup(target)}</b> <span class="${status}">${words[status]}</span>`;
  if (timeline.length === 0) return `<p class="story">${head} ${why}</p>`;
  const time = `<span class="time">${seconds.toFixed(1)} s</span>`;
  return `<details>
<summary>${head} ${time} ${why}</summary>
<div class="wide" role="group" aria-label="timeline of ${escapeMarkup(target)}" tabindex="0">
<table class="timeline">
<thead><tr><th scope="col">ms</th><th scope="col">client</th><th scope="col">target</th><th scope="col">model</th></tr></thead>
<tbody>
${shortened(timeline).map(momentRow).join("\n")}
</tbody>
</table>
</div>
</details>`;
}

const mostMoments = 80;

/** Shortens a long timeline to its beginning and end. The JSON file has the whole timeline. */
function shortened(moments: readonly Moment[]): (Moment | number)[] {
  const left = moments.length - mostMoments;
  if (left <= 1) return [...moments];
  return [...moments.slice(0, 30), left, ...moments.slice(-50)];
}

function momentRow(moment: Moment | number): string {
  if (typeof moment === "number") {
    return `<tr><td></td><td colspan="3">… ${moment} more, which are in the data</td></tr>`;
  }
  const { at, who, what } = moment;
  const own = (player: Moment["who"]): string =>
    `<td>${player === who ? escapeMarkup(what) : ""}</td>`;
  return `<tr><td class="number">${at}</td>${own("client")}${own("target")}${own("model")}</tr>`;
}

function badgeSection(badge: string): string {
  return `<h2 id="badge">Badge</h2>
<p><img src="${escapeMarkup(badge)}" alt="Badge with the result"></p>
<p>To show the badge in a README, publish this folder and link the badge to this page:</p>
<pre tabindex="0"><code>[![gauntlet](ADDRESS/${escapeMarkup(badge)})](ADDRESS/index.html)</code></pre>`;
}

function again({ command }: GauntletRecord): string {
  return `<p>Programs that are not installed are downloaded from npm.</p>
<pre tabindex="0"><code>${escapeMarkup(command)}</code></pre>
<p>To test any agent that speaks ACP:</p>
<pre tabindex="0"><code>npx holdfast-gauntlet -- my-agent --acp</code></pre>`;
}
