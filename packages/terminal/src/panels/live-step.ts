import type { InFlight } from "@holdfast/sdk";
import type { CallView } from "@holdfast/model/conversation.ts";
import { tailOf } from "@holdfast/model/visible-text.ts";
import type { Look } from "../screen/look.ts";
import { fit, indent, oneLine, visibleWidth } from "../screen/text.ts";
import { callHead, outputRows } from "../transcript/call-card.ts";
import type { Highlight } from "../transcript/highlight.ts";
import { renderPiece } from "../transcript/markdown.ts";
import { seconds } from "../transcript/time-text.ts";
import type { OpenStep } from "../transcript/transcript.ts";

/**
 * Limits for the rows of the growing answer: a number of rows, and a share of the window's height. If the window
 * becomes lower than the live region, the terminal moves rows into the scrollback, where they cannot be erased.
 */
const answerRows = 6;
const answerShare = 1 / 4;
const outputLines = 4;
const shownCalls = 3;

export interface LiveOptions {
  readonly look: Look;
  readonly columns: number;
  /** Height of the window in rows. */
  readonly height: number;
  readonly highlight: Highlight;
  readonly now: number;
}

/** Returns the rows of the step in progress: the end of the growing answer, or the calls that are running. */
export function liveStepRows(
  open: OpenStep | null,
  inFlight: InFlight | null,
  options: LiveOptions,
): string[] {
  if (open === null) return [];
  const { step, rest, language, printedCalls } = open;
  if (step.answeredAt === null) {
    const text = answerTail(rest, language, options);
    return text.length > 0 ? text : thoughtTail(inFlight, options);
  }
  const calls = step.calls.slice(printedCalls);
  const rows = calls.slice(0, shownCalls).flatMap((call) => callRows(call, inFlight, options));
  const hidden = calls.length - shownCalls;
  return hidden > 0 ? [...rows, options.look.dim(`  … ${hidden} more`)] : rows;
}

function answerTail(rest: string, language: string | null, options: LiveOptions): string[] {
  const tail = tailOf(rest, { lines: 40, characters: 6_000 });
  if (tail.trim() === "") return [];
  const piece =
    language === null
      ? ({ kind: "text", source: tail } as const)
      : ({ kind: "code", language, lines: [tail], isStart: false } as const);
  const rows = renderPiece(piece, { ...options, columns: options.columns - 2 });
  const room = Math.max(1, Math.min(answerRows, Math.floor(options.height * answerShare)));
  return ["", ...indent(rows.slice(-room), "  ")];
}

/** Returns the end of the model's reasoning, while there is no answer yet. */
function thoughtTail(inFlight: InFlight | null, { look, columns }: LiveOptions): string[] {
  const reasoning = inFlight?.reasoning ?? "";
  if (reasoning === "") return [];
  const words = oneLine(reasoning.slice(-400)).slice(-Math.max(10, columns - 6));
  return ["", look.dim(fit(`✻ ${words}`, columns))];
}

function callRows(call: CallView, inFlight: InFlight | null, options: LiveOptions): string[] {
  const { look, columns, now } = options;
  const isOver = call.status !== "running" && call.status !== "waiting";
  const output = inFlight?.calls.find(({ callId }) => callId === call.callId)?.text ?? "";
  const tail = tailOf(output, { lines: outputLines + 1, characters: 8_000 });
  const rows = outputRows(tail, { look, columns, isWhole: false, limit: outputLines });
  const shown = rows.length > outputLines ? rows.slice(1) : rows;
  const mark = isOver ? look.good("●") : look.warn("○");
  return [
    "",
    headRow(`${mark} ${callHead(call, look)}`, stateOf(call, look, now), columns),
    ...indent(isOver ? [] : shown, "  "),
  ];
}

/** Formats the title and the state of a call in one row. Shortens the title, so that the state stays visible. */
function headRow(title: string, state: string, columns: number): string {
  return fit(`${fit(title, Math.max(8, columns - visibleWidth(state)))}${state}`, columns);
}

function stateOf(call: CallView, look: Look, now: number): string {
  if (call.endedAt !== null) return look.dim(" · done");
  if (call.startedAt !== null) return look.dim(` · ${seconds(now - call.startedAt)}`);
  return call.askId === null ? "" : look.warn(" · needs you");
}
