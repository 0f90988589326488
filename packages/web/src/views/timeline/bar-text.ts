import { t } from "../../i18n/text.ts";
import type { Share } from "@holdfast/model/breakdown.ts";
import { breakdown } from "@holdfast/model/breakdown.ts";
import type { Segment } from "@holdfast/model/run-segments.ts";
import { lengthOf } from "@holdfast/model/timeline.ts";
import type { PromptBar } from "@holdfast/model/timeline.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { duration } from "../../ui/time.tsx";

/** Returns the text of a prompt, if it is known. */
export type TextOf = (promptId: string) => string | null;

export function titleOf(bar: Pick<PromptBar, "text">): string {
  const line = (bar.text ?? "").trim().split("\n", 1)[0] ?? "";
  return line === "" ? t().timeline.noWords : visibleText(line);
}

/** Describes the state of a prompt in one line: the reason for waiting, the current activity, or the outcome. */
export function stateText(bar: PromptBar, now: number, textOf: TextOf): string {
  switch (bar.stage) {
    case "waiting": {
      const time = duration(lengthOf(bar.waiting, now));
      return `${t().timeline.waits({ time })} · ${waitsFor(bar, textOf)}`;
    }
    case "running":
      return runningText(bar, now);
    case "settled":
      return settledText(bar, now);
  }
}

function waitsFor(bar: PromptBar, textOf: TextOf): string {
  if (bar.held.some(({ to }) => to === null)) return t().timeline.sessionHeld;
  const ahead = bar.behind.find(({ span }) => span.to === null);
  if (ahead === undefined) return t().timeline.nextInLine;
  const text = titleOf({ text: textOf(ahead.promptId) });
  if (bar.delivery === "steer") return t().timeline.joinsSoon({ text: short(text) });
  return t().timeline.behind({ text: short(text) });
}

function runningText(bar: PromptBar, now: number): string {
  const time = duration(bar.active === null ? 0 : lengthOf(bar.active, now));
  const current = bar.segments.filter(({ to }) => to === null);
  const [first] = [
    ...current.filter(({ kind }) => kind === "asking"),
    ...current.filter(({ kind }) => kind === "tool"),
    ...current,
  ];
  const what = bar.joined !== null ? t().timeline.joinedRun : first && segmentName(first);
  const runs = t().timeline.runs({ time });
  return what === undefined ? runs : `${runs} · ${what}`;
}

function settledText(bar: PromptBar, now: number): string {
  const waited = lengthOf(bar.waiting, now);
  const texts: string[] = [];
  const { outcome } = bar;
  if (outcome !== null && outcome.status !== "completed") {
    const reason = outcome.reason === null ? null : t().reasons[outcome.reason];
    const status = t().outcome[outcome.status];
    texts.push(
      reason === null || reason === status
        ? status
        : t().app.colon({ subject: status, text: reason }),
    );
  }
  if (waited >= 100) texts.push(t().timeline.waited({ time: duration(waited) }));
  if (bar.active === null) texts.push(t().timeline.neverStarted);
  else if (bar.joined !== null) texts.push(t().timeline.joinedRun);
  else texts.push(t().timeline.ran({ time: duration(lengthOf(bar.active, now)) }));
  if (bar.attempt > 1 && bar.joined === null) {
    texts.push(t().conversation.attempt({ attempt: bar.attempt }));
  }
  return texts.join(" · ");
}

export function segmentName(segment: Segment): string {
  if (segment.kind === "tool") return visibleText(segment.name ?? t().timeline.kinds.tool);
  return t().timeline.kinds[segment.kind];
}

export function segmentText(segment: Segment, now: number): string {
  const { kind, status, step } = segment;
  const texts = [
    kind === "tool" ? t().timeline.toolNamed({ name: segmentName(segment) }) : segmentName(segment),
    step === null ? null : t().timeline.step({ step }),
    kind === "tool" && status !== null && status !== "completed" ? t().calls.status[status] : null,
    duration(lengthOf(segment, now)),
  ];
  return texts.filter((text) => text !== null).join(" · ");
}

export function shareName({ kind, name }: Pick<Share, "kind" | "name">): string {
  return kind === "tool" && name !== null ? visibleText(name) : t().timeline.kinds[kind];
}

/** Describes a bar as text for screen readers. */
export function barLabel(bar: PromptBar, now: number, textOf: TextOf): string {
  const where = breakdown(bar, now).map((share) => `${shareName(share)} ${duration(share.time)}`);
  const text = `${stateText(bar, now, textOf)}. ${where.join(", ")}`;
  return t().app.colon({ subject: titleOf(bar), text });
}

function short(text: string): string {
  return text.length > 48 ? `${text.slice(0, 47)}…` : text;
}

/** Command, agent and model that the sender named. */
export function namedText({ named }: Pick<PromptBar, "named">): readonly string[] {
  const { command, agent, model } = named;
  return [
    ...(command === null ? [] : [`/${command}`]),
    ...(agent === null ? [] : [`${t().composer.agent} ${agent}`]),
    ...(model === null ? [] : [model]),
  ];
}
