import { addUsage, noUsage } from "../main.ts";
import type { AnswerBody, Runtime, LaneEvent, LaneState, Usage } from "../main.ts";
import { readBodyAs, readContent } from "./body-text.ts";
import { createCallBook } from "./calls.ts";
import type { Lines } from "./lines.ts";
import { oneLine, printable } from "./printable.ts";
import { onStderr } from "./style.ts";

/** Shows a session's events as they come. */
export interface View {
  /** A session joins, with what is under way in it already. */
  joined(state: LaneState): Promise<void>;
  event(event: LaneEvent): Promise<void>;
  /** What the answers that were shown have used. */
  usage(): Usage;
  close(): void;
}

/** One line of JSON for each event, with the body that it refers to. */
export function createJsonView(runtime: Runtime): View {
  let usage = noUsage;
  return {
    joined: async () => {},
    usage: () => usage,
    close: () => {},
    event: async (event) => {
      if (event.type === "step.answered") usage = addUsage(usage, event.usage);
      const content = await readContent(runtime.store, event);
      console.log(JSON.stringify(content === null ? event : { ...event, content }));
    },
  };
}

/** Answers as text, while they stream; tool calls as lines; children indented. */
export function createTextView(
  runtime: Runtime,
  options: { sessionId: string; lines: Lines },
): View {
  const { sessionId, lines } = options;
  const book = createCallBook(runtime.store);
  let streamed: { key: string; text: string } | null = null;
  let usage = noUsage;

  const close = runtime.deltas(sessionId, ({ runId, step, attempt, kind, text }) => {
    if (kind === "reasoning") lines.waiting("thinking");
    if (kind === "restart") {
      lines.note(`  ↻ ${oneLine(text, 200)}; asking again`);
      streamed = null;
    }
    if (kind !== "text") return;
    const key = `${runId}/${step}/${attempt}`;
    if (streamed?.key !== key) {
      lines.endText();
      streamed = { key, text: "" };
    }
    streamed.text += text;
    lines.text(text);
  });
  /** Only what the stream has not shown yet; all of it where the stream was another's. */
  const showAnswer = (event: Extract<LaneEvent, { type: "step.answered" }>, text: string): void => {
    const { runId, step, attempt } = event;
    const shown = streamed?.key === `${runId}/${step}/${attempt}` ? streamed.text : "";
    if (text.startsWith(shown)) lines.text(text.slice(shown.length));
    else {
      lines.endText();
      lines.text(text);
    }
    lines.endText();
    streamed = null;
  };
  const answered = async (
    event: Extract<LaneEvent, { type: "step.answered" }>,
    indent: string,
  ): Promise<void> => {
    usage = addUsage(usage, event.usage);
    const body = await readBodyAs<AnswerBody>(runtime.store, event.body);
    const { text = "", calls = [] } = body ?? {};
    if (isSummary(body?.extra)) lines.note(`${indent}⋯ the conversation so far was summarised`);
    else if (event.sessionId === sessionId) showAnswer(event, text);
    else if (text !== "") lines.note(`${indent}${printable(text).replaceAll("\n", `\n${indent}`)}`);
    for (const title of book.asked(calls)) {
      lines.note(onStderr("dim", `${indent}▸ ${title}`));
      lines.waiting(oneLine(title, 60));
    }
  };
  return {
    close,
    usage: () => usage,
    joined: async ({ sessionId: member, active }) => {
      if (active?.kind === "run") await book.catchUp(member);
    },
    event: async (event) => {
      const indent = event.sessionId === sessionId ? "  " : "  │ ";
      if (event.type === "step.opened") lines.waiting("waiting for the model");
      if (event.type === "step.answered") await answered(event, indent);
      if (event.type === "tool.started") await book.started(event);
      if (event.type === "tool.ended") {
        lines.note(`${indent}${await book.ended(event)}`.trimEnd());
      }
      if (event.type === "run.resumed") {
        lines.note(`${indent}↻ the run was cut off; attempt ${event.attempt} goes on with it`);
      }
      if (event.type === "run.ended" && event.sessionId === sessionId) lines.waiting(null);
    },
  };
}

/** The coding agent's own summary of what came before: made for the model. */
export function isSummary(extra: unknown): boolean {
  return (
    typeof extra === "object" && extra !== null && "kind" in extra && extra.kind === "compaction"
  );
}
