import type { InFlight } from "@holdfast/sdk";
import type { AskView, Conversation, Entry, StepEntry } from "@holdfast/model/conversation.ts";
import type { Look } from "../screen/look.ts";
import { fit, indent, oneLine, printable, wrap } from "../screen/text.ts";
import { callCard } from "./call-card.ts";
import type { Highlight } from "./highlight.ts";
import { renderPiece } from "./markdown.ts";
import { createMarkdownStream } from "./markdown-stream.ts";
import type { MarkdownStream, Piece } from "./markdown-stream.ts";
import { noticeRows } from "./notice-text.ts";
import { promptRows } from "./prompt-rows.ts";
import { seconds } from "./time-text.ts";

export interface TranscriptOptions {
  readonly look: Look;
  readonly columns: number;
  readonly highlight: Highlight;
  readonly own: string | null;
  /** True: print whole outputs and reasoning. */
  readonly isWhole: boolean;
  /** Ids of prompts that are not printed, because the client has already shown their content. */
  readonly hidden: ReadonlySet<string>;
}

/**
 * Converts entries to lines, each entry once and in the order of the log. Printing waits at an entry that can still
 * change. Until that entry is final, `openStep` contains it for the live region.
 */
export interface Transcript {
  /** Returns the lines that can be printed now. */
  next(conversation: Conversation, inFlight: InFlight | null, options: TranscriptOptions): string[];
  /** The step in progress, with the text that is not printed yet. */
  readonly openStep: OpenStep | null;
}

export interface OpenStep {
  readonly step: StepEntry;
  /** Markdown that is not printed yet. */
  readonly rest: string;
  /** Language of the code block that `rest` belongs to; null: `rest` is not in a code block. */
  readonly language: string | null;
  /** Number of the step's calls that are printed. */
  readonly printedCalls: number;
}

/** Progress of the entry that is being printed. */
interface Progress {
  readonly id: string;
  stream: MarkdownStream;
  /**
   * The part of the answer that is already printed. Printed text cannot be removed from the terminal: if the answer no
   * longer starts with this text, the new answer is printed from its beginning.
   */
  printed: string;
  hasText: boolean;
  hasThought: boolean;
  isInCode: boolean;
  isAnswered: boolean;
  calls: number;
}

export function createTranscript(): Transcript {
  const done = new Set<string>();
  let progress: Progress | null = null;
  let openStep: OpenStep | null = null;

  const printStep = (
    step: StepEntry,
    context: { conversation: Conversation; inFlight: InFlight | null; options: TranscriptOptions },
  ): { lines: string[]; isDone: boolean } => {
    const { conversation, inFlight, options } = context;
    if (progress?.id !== step.id) progress = newProgress(step.id);
    const own = progress;
    const lines: string[] = [];
    const isOver = (conversation.runs.get(step.runId)?.endedAt ?? null) !== null;
    const live = inFlight?.runId === step.runId && inFlight.step === step.step ? inFlight : null;
    if (!own.isAnswered) {
      const isAnswered = step.answeredAt !== null;
      const text = isAnswered ? step.text : (live?.text ?? "");
      const reasoning = (isAnswered ? step.reasoning : live?.reasoning) ?? "";
      if (reasoning !== "" && !own.hasThought && (isAnswered || text !== "")) {
        own.hasThought = true;
        lines.push(...space(thoughtRows(reasoning, step, options)));
      }
      lines.push(...printText(own, { text, isDone: isAnswered, options }));
      if (isAnswered) {
        own.isAnswered = true;
        lines.push(...stepEnd(step, options));
      }
    }
    const { calls } = own.isAnswered ? step : { calls: [] };
    while (own.calls < calls.length) {
      const call = calls[own.calls];
      if (call === undefined || call.status === "waiting" || call.status === "running") break;
      lines.push(...space(callCard(call, options)));
      own.calls += 1;
    }
    const isDone = own.isAnswered ? own.calls === calls.length : isOver;
    const rest = own.isAnswered ? "" : (live?.text ?? "").slice(own.stream.offset);
    openStep = isDone
      ? null
      : { step, rest, language: own.stream.language, printedCalls: own.calls };
    return { lines, isDone };
  };
  const next: Transcript["next"] = (conversation, inFlight, options) => {
    const lines: string[] = [];
    for (const entry of conversation.entries) {
      const key = printKey(entry);
      if (done.has(key)) continue;
      if (entry.kind === "step") {
        const printed = printStep(entry, { conversation, inFlight, options });
        lines.push(...printed.lines);
        if (!printed.isDone) break;
      } else {
        const rows = plainEntry(entry, conversation, options);
        if (rows === null) break;
        lines.push(...space(rows));
      }
      done.add(key);
    }
    return lines;
  };
  return {
    next,
    get openStep() {
      return openStep;
    },
  };
}

/** A prompt that returned to the queue after it had joined a run is printed again for its own run. */
function printKey(entry: Entry): string {
  return entry.kind === "prompt" ? `${entry.id} ${entry.prompt.runId}` : entry.id;
}

function newProgress(id: string): Progress {
  const stream = createMarkdownStream();
  return {
    id,
    stream,
    printed: "",
    hasText: false,
    hasThought: false,
    isInCode: false,
    isAnswered: false,
    calls: 0,
  };
}

/** Returns the rows of an entry that is printed as a whole. Null if the entry is not complete yet. */
function plainEntry(
  entry: Exclude<Entry, StepEntry>,
  conversation: Conversation,
  options: TranscriptOptions,
): string[] | null {
  switch (entry.kind) {
    case "prompt":
      if (options.hidden.has(entry.prompt.promptId)) return [];
      return entry.prompt.text === null ? null : promptRows(entry.prompt, options);
    case "notice":
      return noticeRows(entry, options);
    case "ask": {
      const ask = conversation.asks.get(entry.askId);
      if (ask === undefined || ask.closed === null) return null;
      return [answeredAsk(ask, options)];
    }
  }
}

function answeredAsk({ question, closed }: AskView, { look, columns }: TranscriptOptions): string {
  const resolution = closed?.resolution;
  const verdict = resolution?.kind === "answered" ? resolution.verdict : (resolution?.kind ?? "");
  return fit(look.dim(`? ${oneLine(question)} · ${verdict}`), columns);
}

function printText(
  own: Progress,
  context: {
    text: string;
    isDone: boolean;
    options: TranscriptOptions;
  },
): string[] {
  const { text, isDone, options } = context;
  const lines: string[] = [];
  if (!text.startsWith(own.printed)) {
    // The step restarted (T3). The printed text stays on the screen, so print that the answer starts over.
    own.stream = createMarkdownStream();
    own.printed = "";
    own.isInCode = false;
    lines.push(...space([options.look.warn("■ The answer starts over")]));
  }
  for (const piece of own.stream.take(text, isDone)) lines.push(...printPiece(own, piece, options));
  own.printed = text.slice(0, own.stream.offset);
  return lines;
}

function printPiece(own: Progress, piece: Piece, options: TranscriptOptions): string[] {
  const rows = indent(renderPiece(piece, { ...options, columns: options.columns - 2 }), "  ");
  if (piece.kind === "code" && piece.isStart) own.isInCode = false;
  if (rows.length === 0) return [];
  const isMore = piece.kind === "code" && own.isInCode;
  own.isInCode = piece.kind === "code";
  if (isMore) return rows;
  if (!own.hasText && piece.kind === "text") {
    own.hasText = true;
    rows[0] = `${options.look.accent("●")} ${(rows[0] ?? "").slice(2)}`;
  }
  return space(rows);
}

/** Returns the rows of the model's reasoning: a summary in one row, or the full text. */
function thoughtRows(
  reasoning: string,
  step: StepEntry,
  { look, columns, isWhole }: TranscriptOptions,
): string[] {
  const time = step.answeredAt === null ? "" : ` for ${seconds(step.answeredAt - step.openedAt)}`;
  if (!isWhole) return [look.dim(fit(`✻ Thought${time} · Ctrl-O shows it`, columns))];
  return indent(wrap(printable(reasoning), columns - 2), "  ").map((row, index) =>
    look.dim(index === 0 ? `✻ ${row.slice(2)}` : row),
  );
}

/** Returns remarks below an answer, for example that the answer was interrupted or cut. */
function stepEnd(step: StepEntry, { look }: TranscriptOptions): string[] {
  const rows: string[] = [];
  if (step.isInterrupted) rows.push(look.warn("  interrupted here"));
  if (step.cutAt !== null)
    rows.push(look.dim("  the answer is longer than shown: the rest could not be loaded"));
  return rows;
}

/** Adds a blank row above the rows. */
function space(rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : ["", ...rows];
}
