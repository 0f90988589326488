import type { SessionItem } from "./session-stream.ts";
import type { Settled } from "./settled.ts";
import type { Call } from "./types.gen.ts";

/** A piece of an answer. Each one is a `UIMessageChunk` of the AI SDK. */
export type ChatChunk =
  | { type: "start"; messageId: string }
  | { type: "text-start"; id: string }
  | { type: "text-delta"; id: string; delta: string }
  | { type: "text-end"; id: string }
  | { type: "reasoning-start"; id: string }
  | { type: "reasoning-delta"; id: string; delta: string }
  | { type: "reasoning-end"; id: string }
  | {
      type: "tool-input-available";
      toolCallId: string;
      toolName: string;
      input: unknown;
      dynamic: true;
    }
  | { type: "tool-output-available"; toolCallId: string; output: unknown; dynamic: true }
  | { type: "tool-output-error"; toolCallId: string; errorText: string; dynamic: true }
  | { type: "data-ask"; id: string; data: AskData }
  | { type: "error"; errorText: string }
  | { type: "abort" }
  | { type: "finish" };

/** A question or permission request of the run. Answer it with `session.answer`. */
export interface AskData {
  readonly sessionId: string;
  readonly askId: string;
  readonly question: string;
  readonly isOpen: boolean;
}

export interface ChunkMaker {
  start(): ChatChunk[];
  take(item: SessionItem): ChatChunk[];
  end(outcome: Pick<Settled, "status" | "reason" | "text">): ChatChunk[];
}

/**
 * Converts events to chunks. Each delta becomes a chunk as it arrives. If a step starts over, for example after a
 * crash, the current text part of the answer is closed and the new text goes into a new part, because sent chunks
 * cannot be taken back.
 */
export function createChunkMaker(promptId: string): ChunkMaker {
  const text = createTextParts(promptId);
  const asks = new Map<string, AskData>();
  return {
    start: () => [{ type: "start", messageId: `${promptId}-answer` }],
    take: (item) => {
      if (item.type === "delta") {
        if (item.kind === "restart") return text.close();
        if (item.kind === "tool") return [];
        return text.add(item.kind, { text: item.text, step: stepOf(item) });
      }
      if (item.type === "snapshot") {
        return item.cut ? [] : text.catchUp({ text: item.text, step: stepOf(item) });
      }
      if (item.type === "step.answered") {
        const { content } = item;
        const piece = { text: content?.text ?? "", step: stepOf(item) };
        return [...text.complete(piece), ...(content?.calls ?? []).map(callChunk)];
      }
      if (item.type === "tool.ended") return [resultChunk(item)];
      if (item.type === "ask.opened") {
        const { sessionId, askId, content } = item;
        const data = { sessionId, askId, question: content?.question ?? "", isOpen: true };
        asks.set(askId, data);
        return [{ type: "data-ask", id: askId, data }];
      }
      const known = item.type === "ask.closed" ? asks.get(item.askId) : undefined;
      if (known === undefined) return [];
      return [{ type: "data-ask", id: known.askId, data: { ...known, isOpen: false } }];
    },
    end: ({ status, reason, text: result }) => {
      const ended = text.close();
      if (status === "cancelled") return [...ended, { type: "abort" }];
      if (status === "failed") {
        return [...ended, { type: "error", errorText: result ?? reason ?? status }];
      }
      const isShown = result === null || result === text.answered();
      const missing = isShown ? [] : text.complete({ text: result, step: "result" });
      return [...ended, ...missing, { type: "finish" }];
    },
  };
}

interface Piece {
  readonly text: string;
  readonly step: string;
}

/** The text of the answer, in parts. At most one part is open. */
function createTextParts(promptId: string) {
  let parts = 0;
  let open: { kind: "text" | "reasoning"; id: string; text: string; step: string } | null = null;
  let answered = "";
  const shownOf = (step: string): string =>
    open?.kind === "text" && open.step === step ? open.text : "";
  const close = (): ChatChunk[] => {
    const chunks: ChatChunk[] = open === null ? [] : [{ type: `${open.kind}-end`, id: open.id }];
    open = null;
    return chunks;
  };
  const add = (kind: "text" | "reasoning", { text, step }: Piece): ChatChunk[] => {
    const chunks: ChatChunk[] = [];
    if (open?.kind !== kind || open.step !== step) {
      chunks.push(...close());
      parts += 1;
      open = { kind, id: `${promptId}-${parts}`, text: "", step };
      chunks.push({ type: `${kind}-start`, id: open.id });
    }
    open.text += text;
    chunks.push({ type: `${kind}-delta`, id: open.id, delta: text });
    return chunks;
  };
  /** Returns chunks with the rest of a text whose beginning was already sent. */
  const catchUp = ({ text, step }: Piece): ChatChunk[] => {
    const shown = shownOf(step);
    const rest = text.startsWith(shown) ? text.slice(shown.length) : "";
    return rest === "" ? [] : add("text", { text: rest, step });
  };
  /**
   * Returns chunks with the stored text of a step. If different text was sent before, they contain the whole text as a
   * new part.
   */
  const complete = (piece: Piece): ChatChunk[] => {
    answered = piece.text;
    const again = piece.text.startsWith(shownOf(piece.step)) ? [] : close();
    return [...again, ...catchUp(piece), ...close()];
  };
  return { add, catchUp, complete, close, answered: () => answered };
}

function callChunk({ callId, name, input }: Call): ChatChunk {
  const call = { toolCallId: callId, toolName: name, input };
  return { type: "tool-input-available", ...call, dynamic: true };
}

function resultChunk(item: Extract<SessionItem, { type: "tool.ended" }>): ChatChunk {
  const { callId: toolCallId, status, content } = item;
  const output = content?.output ?? "";
  if (status === "completed") {
    return { type: "tool-output-available", toolCallId, output, dynamic: true };
  }
  const errorText = output === "" ? status : output;
  return { type: "tool-output-error", toolCallId, errorText, dynamic: true };
}

function stepOf({
  runId,
  step,
  attempt,
}: {
  runId: string;
  step: number;
  attempt: number;
}): string {
  return `${runId}/${step}/${attempt}`;
}
