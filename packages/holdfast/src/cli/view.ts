import type { Holdfast, LaneEvent } from "../main.ts";
import { readContent, readText, textOf } from "./body-text.ts";
import type { Lines } from "./lines.ts";

/** Shows a session's events as they come. */
export interface View {
  event(event: LaneEvent): Promise<void>;
  close(): void;
}

/** One line of JSON for each event, with the body that it refers to. */
export function createJsonView(runtime: Holdfast): View {
  return {
    close: () => {},
    event: async (event) => {
      const content = await readContent(runtime.store, event);
      console.log(JSON.stringify(content === null ? event : { ...event, content }));
    },
  };
}

/** Answers as text, while they stream; tool calls as lines; children indented. */
export function createTextView(
  runtime: Holdfast,
  options: { sessionId: string; lines: Lines },
): View {
  const { sessionId, lines } = options;
  const names = new Map<string, string>();
  let streamed: { key: string; text: string } | null = null;

  const close = runtime.deltas(sessionId, ({ runId, step, attempt, kind, text }) => {
    if (kind !== "text" && kind !== "restart") return;
    const key = `${runId}/${step}/${attempt}`;
    if (streamed?.key !== key || kind === "restart") {
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
  const showTool = async (event: Extract<LaneEvent, { type: "tool.ended" }>): Promise<string> => {
    const { callId, status } = event;
    const output = await readText(runtime.store, event.body);
    const name = names.get(callId) ?? callId;
    names.delete(callId);
    return `${marks[status]} ${name}${status === "completed" ? "" : ` ${words[status]}`}  ${output}`;
  };
  return {
    close,
    event: async (event) => {
      const indent = event.sessionId === sessionId ? "  " : "  │ ";
      if (event.type === "step.answered") {
        const text = textOf(await readContent(runtime.store, event), "text") ?? "";
        if (event.sessionId === sessionId) showAnswer(event, text);
        else if (text !== "") lines.note(`${indent}${text}`);
        for (const { callId, name } of event.calls) {
          names.set(callId, name);
          lines.note(`${indent}▸ ${name}`);
        }
      }
      if (event.type === "tool.ended") lines.note(`${indent}${await showTool(event)}`.trimEnd());
      if (event.type === "run.resumed") {
        lines.note(`${indent}↻ the run was cut off; attempt ${event.attempt} goes on with it`);
      }
    },
  };
}

type ToolStatus = Extract<LaneEvent, { type: "tool.ended" }>["status"];

const marks: Record<ToolStatus, string> = {
  completed: "✓",
  failed: "✗",
  denied: "✗",
  interrupted: "■",
  inDoubt: "?",
};

const words: Record<ToolStatus, string> = {
  completed: "completed",
  failed: "failed",
  denied: "denied",
  interrupted: "interrupted",
  inDoubt: "in doubt: it may have acted before the crash, and is not run again",
};
