import { addedText } from "@holdfast/model/added-text.ts";
import { isEvent } from "@holdfast/sdk";
import type { DeltaItem, SessionItem, SnapshotItem, Usage, WireEvent } from "@holdfast/sdk";
import { addUsage, noUsage } from "../../kernel/state.ts";
import { createCallBook, diffOf } from "./calls.ts";
import { holdText } from "./hold-text.ts";
import type { Lines } from "./lines.ts";
import { oneLine, printable } from "./printable.ts";
import { onStderr, paintDiff } from "./style.ts";
import { createToolOutput } from "./tool-output.ts";

/** Shows the events of a session as they arrive. */
export interface View {
  /** Records an earlier event of the active run without showing it. */
  past(event: WireEvent): void;
  /** Shows an event or a delta. */
  take(item: SessionItem): void;
  /** Total usage of the shown answers. */
  usage(): Usage;
}

/** Prints one line of JSON per event. */
export function createJsonView(): View {
  const used = countUsage();
  return {
    past: () => {},
    usage: used.total,
    take: (item) => {
      if (!isEvent(item)) return;
      used.take(item);
      console.log(JSON.stringify(item));
    },
  };
}

type Answered = Extract<WireEvent, { type: "step.answered" }>;

/** Shows streaming answers as text, tool calls as lines, and children indented. */
export function createTextView(options: { sessionId: string; lines: Lines }): View {
  const { sessionId, lines } = options;
  const book = createCallBook();
  const used = countUsage();
  const output = createToolOutput((line) => lines.note(onStderr("dim", `    ${line}`)));
  let streamed: { key: string; text: string } | null = null;
  let answer = "";

  /** Writes the new part of the text. If the text does not continue the shown text, writes all of it. */
  const show = (key: string, text: string): void => {
    const shown = streamed?.key === key ? streamed.text : "";
    if (streamed?.key !== key || !text.startsWith(shown)) {
      lines.endText();
      lines.text(text);
    } else lines.text(text.slice(shown.length));
    streamed = { key, text };
  };
  const passing = (item: DeltaItem | SnapshotItem): void => {
    const key = keyOf(item);
    if (item.type === "snapshot") {
      if (item.text !== "") show(key, item.text);
      return;
    }
    const { kind, text } = item;
    if (kind === "reasoning") lines.waiting("thinking");
    if (kind === "restart") {
      lines.note(`  ↻ ${oneLine(text, 200)}; retrying`);
      streamed = null;
    }
    // Show tool output only on a terminal. In a log file, the result already contains the complete output.
    if (kind === "tool" && process.stderr.isTTY) output.take(item.callId ?? "", text);
    if (kind !== "text") return;
    if (streamed?.key !== key) {
      lines.endText();
      streamed = { key, text: "" };
    }
    streamed.text += text;
    lines.text(text);
  };
  const answered = (event: Answered, indent: string): void => {
    const { text = "", calls = [], summary = false } = event.content ?? {};
    if (summary) lines.note(`${indent}⋯ the conversation so far was summarised`);
    else if (event.sessionId === sessionId) {
      answer = text;
      show(keyOf(event), text);
      lines.endText();
      streamed = null;
    } else if (text !== "") {
      lines.note(`${indent}${printable(text).replaceAll("\n", `\n${indent}`)}`);
    }
    for (const title of book.asked(calls)) {
      lines.note(onStderr("dim", `${indent}▸ ${title}`));
      lines.waiting(oneLine(title, 60));
    }
  };
  return {
    usage: used.total,
    past: (event) => book.take(event),
    take: (event) => {
      if (isPassing(event)) passing(event);
      if (!isEvent(event)) return;
      used.take(event);
      const indent = event.sessionId === sessionId ? "  " : "  │ ";
      if (event.type === "step.opened") lines.waiting("waiting for the model");
      if (event.type === "step.answered") answered(event, indent);
      if (event.type === "tool.started") book.take(event);
      if (event.type === "tool.ended") {
        output.end(event.callId);
        lines.note(`${indent}${book.ended(event)}`.trimEnd());
        const diff = diffOf(event.content);
        if (diff !== null) lines.note(shortDiff(diff, indent));
      }
      if (event.type === "run.started" || event.type === "run.resumed") {
        for (const title of event.without ?? []) {
          lines.note(
            onStderr("yellow", `${indent}! without ${oneLine(title, 100)}: not available yet`),
          );
        }
      }
      if (event.type === "run.resumed") {
        lines.note(`${indent}↻ the run was cut off; attempt ${event.attempt} continues it`);
      }
      // A pause that ends by itself: the command waits until then.
      if (event.type === "hold.placed" && event.hold.kind === "failure") {
        if (event.hold.retryAt !== null) lines.note(`${indent}! paused: ${holdText(event.hold)}`);
      }
      if (event.type === "run.ended" && event.sessionId === sessionId) {
        lines.waiting(null);
        const note = addedText(answer, event.content?.text ?? "");
        if (note !== "") lines.note(`${indent}! ${printable(note)}`);
      }
    },
  };
}

export function isPassing(item: SessionItem): item is DeltaItem | SnapshotItem {
  return item.type === "delta" || item.type === "snapshot";
}

/** Number of lines of a diff that are shown. */
const shownLines = 40;

function shortDiff(diff: string, indent: string): string {
  // Leave out the file names of the diff, because the line above already names the file.
  const all = printable(diff.trimEnd())
    .split("\n")
    .filter((line) => !/^(?:---|\+\+\+) /.test(line));
  const more = all.length - shownLines;
  const shown = paintDiff(all.slice(0, shownLines).join("\n"), onStderr).split("\n");
  const rest = more > 0 ? [onStderr("dim", `… ${more} more lines`)] : [];
  return [...shown, ...rest].map((line) => `${indent}  ${line}`).join("\n");
}

function keyOf(place: { runId: string; step: number; attempt: number }): string {
  return `${place.runId}/${place.step}/${place.attempt}`;
}

function countUsage(): { take: (event: WireEvent) => void; total: () => Usage } {
  let usage: Usage = noUsage;
  return {
    total: () => usage,
    take: (event) => {
      if (event.type === "step.answered") usage = addUsage(usage, event.usage);
    },
  };
}
