import { buildTimeline, lengthOf } from "@holdfast/model/timeline.ts";
import type { PromptBar, Timeline } from "@holdfast/model/timeline.ts";
import type { Client } from "../client.ts";
import type { Look } from "../screen/look.ts";
import { fit, justify, oneLine } from "../screen/text.ts";
import { seconds } from "../transcript/time-text.ts";

/** /timeline: one bar for each prompt, with the time it waited and the time it ran. */
export function openTimeline(client: Client): void {
  const { view, look } = client;
  if (view === null) return client.say("There is no session yet: send a prompt first");
  client.page({
    title: "Timeline",
    isAtEnd: true,
    lines: (columns) =>
      timelineRows(buildTimeline(view.conversation), { look, columns, now: client.clock.now() }),
  });
}

function timelineRows(
  { bars }: Timeline,
  { look, columns, now }: { look: Look; columns: number; now: number },
): string[] {
  const [first] = bars;
  if (first === undefined) return [look.dim("No prompts yet")];
  const end = Math.max(...bars.map(({ to }) => to ?? now));
  const span = Math.max(1, end - first.from);
  const width = Math.max(10, columns - 4);
  const legend = `${look.dim("░")} waits  ${look.accent("█")} runs  ${look.bad("█")} failed  ${look.warn("█")} stopped`;
  return [
    legend,
    ...bars.flatMap((bar) => [
      "",
      justify(look.bold(oneLine(bar.text ?? "…")), look.dim(factsOf(bar, now)), columns),
      fit(`  ${barText(bar, { look, from: first.from, span, width, now })}`, columns),
    ]),
  ];
}

function factsOf(bar: PromptBar, now: number): string {
  const waited = lengthOf(bar.waiting, now);
  const ran = bar.active === null ? 0 : lengthOf(bar.active, now);
  const facts = [
    waited >= 1_000 ? `waited ${seconds(waited)}` : "",
    bar.active === null ? "" : `ran ${seconds(ran)}`,
    bar.joined === null ? "" : "joined a run",
    bar.outcome?.status === undefined || bar.outcome.status === "completed"
      ? ""
      : bar.outcome.status,
  ];
  return facts.filter((fact) => fact !== "").join(", ");
}

function barText(
  bar: PromptBar,
  {
    look,
    from,
    span,
    width,
    now,
  }: { look: Look; from: number; span: number; width: number; now: number },
): string {
  const place = (time: number): number => Math.round((width * (time - from)) / span);
  const begin = place(bar.from);
  const entered = place(bar.active?.from ?? bar.waiting.to ?? now);
  const end = Math.max(place(bar.to ?? now), entered + (bar.active === null ? 0 : 1));
  const status = bar.outcome?.status;
  const paint = status === "failed" ? look.bad : status === "cancelled" ? look.warn : look.accent;
  return `${" ".repeat(begin)}${look.dim("░".repeat(Math.max(0, entered - begin)))}${paint("█".repeat(Math.max(0, end - entered)))}`;
}
