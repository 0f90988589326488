import type { SessionItem } from "./session-stream.ts";
import type { Settled } from "./settled.ts";

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

type Kind = "text" | "reasoning";

/**
 * Turns events into chunks. Deltas are shown as they arrive. If a step starts over, for example after a crash, its
 * part is closed and the answer continues in a new part, because chunks cannot be taken back.
 */
export function createChunkMaker(promptId: string): ChunkMaker {
  let parts = 0;
  let open: { kind: Kind; id: string; text: string; step: string } | null = null;
  let answered = "";
  const asks = new Map<string, AskData>();

  const close = (): ChatChunk[] => {
    const chunks: ChatChunk[] = open === null ? [] : [{ type: `${open.kind}-end`, id: open.id }];
    open = null;
    return chunks;
  };
  const add = (kind: Kind, piece: { text: string; step: string }): ChatChunk[] => {
    const chunks: ChatChunk[] = [];
    if (open?.kind !== kind || open.step !== piece.step) {
      chunks.push(...close());
      parts += 1;
      open = { kind, id: `${promptId}-${parts}`, text: "", step: piece.step };
      chunks.push({ type: `${kind}-start`, id: open.id });
    }
    open.text += piece.text;
    chunks.push({ type: `${kind}-delta`, id: open.id, delta: piece.text });
    return chunks;
  };
  /** Shows the stored text of a step, of which the deltas may have shown a beginning. */
  const complete = (piece: { text: string; step: string }): ChatChunk[] => {
    answered = piece.text;
    const shown = open?.kind === "text" && open.step === piece.step ? open.text : "";
    if (!piece.text.startsWith(shown))
      return [...close(), ...complete({ ...piece, step: "again" })];
    const rest = piece.text.slice(shown.length);
    return [...(rest === "" ? [] : add("text", { ...piece, text: rest })), ...close()];
  };
  return {
    start: () => [{ type: "start", messageId: `${promptId}-answer` }],
    take: (item) => {
      switch (item.type) {
        case "delta":
          if (item.kind === "restart") return close();
          if (item.kind === "tool") return [];
          return add(item.kind, { text: item.text, step: stepOf(item) });
        case "snapshot": {
          const step = stepOf(item);
          const shown = open?.kind === "text" && open.step === step ? open.text : "";
          const rest = item.text.startsWith(shown) ? item.text.slice(shown.length) : "";
          return rest === "" || item.cut ? [] : add("text", { text: rest, step });
        }
        case "step.answered": {
          const { content } = item;
          const calls = (content?.calls ?? []).map(
            ({ callId: toolCallId, name: toolName, input }): ChatChunk => ({
              type: "tool-input-available",
              toolCallId,
              toolName,
              input,
              dynamic: true,
            }),
          );
          return [...complete({ text: content?.text ?? "", step: stepOf(item) }), ...calls];
        }
        case "tool.ended": {
          const { callId: toolCallId, status, content } = item;
          const output = content?.output ?? "";
          if (status === "completed") {
            return [{ type: "tool-output-available", toolCallId, output, dynamic: true }];
          }
          const errorText = output === "" ? status : output;
          return [{ type: "tool-output-error", toolCallId, errorText, dynamic: true }];
        }
        case "ask.opened": {
          const { sessionId, askId, content } = item;
          const data = { sessionId, askId, question: content?.question ?? "", isOpen: true };
          asks.set(askId, data);
          return [{ type: "data-ask", id: askId, data }];
        }
        case "ask.closed": {
          const known = asks.get(item.askId);
          if (known === undefined) return [];
          return [{ type: "data-ask", id: item.askId, data: { ...known, isOpen: false } }];
        }
        default:
          return [];
      }
    },
    end: ({ status, reason, text }) => {
      const ended = close();
      if (status === "cancelled") return [...ended, { type: "abort" }];
      if (status === "failed")
        return [...ended, { type: "error", errorText: text ?? reason ?? status }];
      const missing = text === null || text === answered ? [] : complete({ text, step: "result" });
      return [...ended, ...missing, { type: "finish" }];
    },
  };
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
