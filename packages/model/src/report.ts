import type { Message, Run, SessionDetail, SessionHandle } from "@holdfast/sdk";
import { callTitle, knownExtra } from "./call-title.ts";
import type { CallView, Entry, PromptView, StepEntry } from "./conversation.ts";
import { hostedNote, hostedNoteLines } from "./hosted-note.ts";
import { messageEntries } from "./message-entries.ts";
import { reportPolicy, reportStyle } from "./report-style.ts";
import { visibleText } from "./visible-text.ts";

// A report is one HTML file without scripts, links, pictures or requests. All texts are escaped, and a content security
// policy in the file forbids everything except its own style.

export interface ReportOptions {
  /** Only this run. Default: the whole session. */
  readonly runId?: string | undefined;
  readonly signal?: AbortSignal;
}

/** Loads a session and returns a report on it as HTML. Throws if the session does not have the run `options.runId`. */
export async function loadReport(
  handle: SessionHandle,
  options: ReportOptions = {},
): Promise<string> {
  const { runId, signal } = options;
  const paged = { limit: 500, ...(signal !== undefined && { signal }) };
  const session = await handle.get(signal === undefined ? {} : { signal });
  const messages: Message[] = [];
  for await (const message of handle.eachMessage(paged)) messages.push(message);
  const runs: Run[] = [];
  for await (const run of handle.eachRun(paged)) {
    if (runId === undefined || run.runId === runId) runs.push(run);
  }
  if (runId !== undefined && runs.length === 0) {
    throw new Error(`the session has no run ${runId}`);
  }
  const entries = messageEntries(messages).filter(
    (entry) => runId === undefined || runOf(entry, runs) === runId,
  );
  return reportHtml({ session, runs, entries });
}

interface Material {
  readonly session: SessionDetail;
  readonly runs: readonly Run[];
  readonly entries: readonly Entry[];
}

export function reportHtml({ session, runs, entries }: Material): string {
  const title = session.title ?? "Session";
  const byPrompt = new Map(runs.flatMap((run) => run.promptIds.map((id) => [id, run] as const)));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(reportPolicy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${reportStyle}</style>
</head>
<body>
<header>
<h1>${escaped(title)}</h1>
<p class="facts">${escaped(factsOf(session, runs))}</p>
</header>
${summaryOf(entries, byPrompt)}
<main>
${entries.map((entry) => entryHtml(entry)).join("\n")}
</main>
<footer>Report of session ${escaped(session.sessionId)}, made by Holdfast. Secrets that Holdfast knows were removed when the texts were stored.</footer>
</body>
</html>
`;
}

function runOf(entry: Entry, runs: readonly Run[]): string | null {
  if (entry.kind === "step") return entry.runId;
  if (entry.kind !== "prompt") return null;
  const { promptId } = entry.prompt;
  return runs.find(({ promptIds }) => promptIds.includes(promptId))?.runId ?? null;
}

function factsOf(session: SessionDetail, runs: readonly Run[]): string {
  const sum = (read: (run: Run) => number): number => runs.reduce((all, run) => all + read(run), 0);
  const tokens = sum(({ usage }) => usage.inputTokens + usage.outputTokens);
  const cost = sum(({ usage }) => usage.cost);
  const worked = sum(({ startedAt, endedAt }) => (endedAt ?? startedAt) - startedAt);
  return [
    session.directory,
    timeText(session.createdAt),
    `${runs.length} ${runs.length === 1 ? "run" : "runs"}, ${durationText(worked)}`,
    ...(tokens === 0 ? [] : [`${tokens.toLocaleString("en-US")} tokens`]),
    ...(cost === 0 ? [] : [`$${cost.toFixed(4)}`]),
  ].join(" · ");
}

/** Returns the first line of a text, cut after 120 characters. */
function firstWords(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}

/** Formats a table of the prompts with their outcome and the duration of their run. */
function summaryOf(entries: readonly Entry[], runs: ReadonlyMap<string, Run>): string {
  const rows = entries.flatMap((entry) => {
    if (entry.kind !== "prompt") return [];
    const { promptId, text, outcome, acceptedAt } = entry.prompt;
    const run = runs.get(promptId);
    const time =
      run === undefined || run.endedAt === null ? "" : durationText(run.endedAt - run.startedAt);
    const cost = run === undefined || run.usage.cost === 0 ? "" : `$${run.usage.cost.toFixed(4)}`;
    const cells = [
      timeText(acceptedAt),
      firstWords(text ?? ""),
      outcome?.status ?? "open",
      time,
      cost,
    ];
    return [`<tr>${cells.map((cell) => `<td>${shown(cell)}</td>`).join("")}</tr>`];
  });
  const heads = ["Sent", "Prompt", "Outcome", "Run time", "Cost"];
  return `<table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join("")}</tr></thead><tbody>
${rows.join("\n")}
</tbody></table>`;
}

function entryHtml(entry: Entry): string {
  if (entry.kind === "prompt") return promptHtml(entry.prompt);
  return entry.kind === "step" ? stepHtml(entry) : "";
}

function promptHtml({ text, outcome, acceptedAt, attachments }: PromptView): string {
  const files = attachments.map(({ name }) => name).filter((name) => name !== undefined);
  const failure = outcome !== null && outcome.status !== "completed" ? ` · ${outcome.status}` : "";
  return `<section class="prompt"><p class="facts">Prompt · ${timeText(acceptedAt)}${escaped(failure)}</p>
<div class="text">${shown(text ?? "")}</div>${files.length === 0 ? "" : `<p class="facts">Files: ${shown(files.join(", "))}</p>`}</section>`;
}

function stepHtml({ text, reasoning, calls, isSummary, isInterrupted, model }: StepEntry): string {
  const parts = [
    isSummary ? `<p class="facts">Summary of the conversation so far</p>` : "",
    reasoning === null || reasoning === "" ? "" : folded("Reasoning", pre(reasoning)),
    text === "" ? "" : `<div class="text">${shown(text)}</div>`,
    ...calls.map(callHtml),
    isInterrupted ? `<p class="facts">Interrupted here</p>` : "",
    model === null || text === "" ? "" : `<p class="facts">${shown(model)}</p>`,
  ];
  return `<section class="step">${parts.filter((part) => part !== "").join("\n")}</section>`;
}

function callHtml({ name, input, status, output, extra }: CallView): string {
  const { diff } = knownExtra(extra);
  const head = `${name} ${callTitle(input)} · ${status}`;
  const notes = hostedNoteLines(hostedNote({ name, input }));
  const facts = notes.map((line) => `<p class="facts">${shown(line)}</p>`).join("");
  const body = [
    input === null ? "" : pre(typeof input === "string" ? input : JSON.stringify(input, null, 2)),
    diff === null ? "" : pre(diff),
    output === "" ? "" : pre(output),
  ];
  return `${facts}${folded(head, body.join("\n"))}`;
}

function folded(head: string, body: string): string {
  return `<details><summary>${shown(head)}</summary>${body}</details>`;
}

function pre(text: string): string {
  return `<pre>${shown(text)}</pre>`;
}

/** Escapes a text and makes its hidden characters visible. */
function shown(text: string): string {
  return escaped(visibleText(text));
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (found) => escapes[found] ?? "");
}

function timeText(at: number): string {
  return at === 0 ? "" : `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function durationText(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
