import type { Delta } from "./delta-hub.ts";

/**
 * Text that has arrived but is not in the log yet: the current step's answer, or the output of its running calls. It is
 * the concatenation of the deltas.
 */
export interface InFlight {
  readonly sessionId: string;
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly callId: string; readonly text: string }[];
  /** True if the beginning of a text is missing. */
  readonly cut: boolean;
}

/** Collects the deltas of one session in limited memory. */
export interface InFlightText {
  add(delta: Delta): void;
  /** Starts collecting a step. `cut`: the beginning of its text is not available. */
  begin(place: Pick<Delta, "runId" | "step" | "attempt">, cut: boolean): void;
  /** Drops the output of a call, because it is in the log. */
  forget(callId: string): void;
  /** Returns the collected text; null if there is none. */
  show(): InFlight | null;
}

/** Number of characters to keep of a stream that has become too long. */
const kept = 256 * 1024;
const whole = { text: "", cut: false } as const;

interface Stream {
  text: string;
  cut: boolean;
}

export function createInFlightText(sessionId: string): InFlightText {
  let place: Pick<Delta, "runId" | "step" | "attempt"> | null = null;
  let text: Stream = { ...whole };
  let reasoning: Stream = { ...whole };
  const calls = new Map<string, Stream>();

  const takeBack = (): void => {
    text = { ...whole };
    reasoning = { ...whole };
    calls.clear();
  };
  return {
    add: (delta) => {
      const { runId, step, attempt, kind } = delta;
      const isSame = place?.runId === runId && place.step === step && place.attempt === attempt;
      if (!isSame || kind === "restart") takeBack();
      place = { runId, step, attempt };
      if (kind === "text") append(text, delta.text);
      if (kind === "reasoning") append(reasoning, delta.text);
      if (kind === "tool" && delta.callId !== null) {
        const call = calls.get(delta.callId) ?? { ...whole };
        append(call, delta.text);
        calls.set(delta.callId, call);
      }
    },
    begin: ({ runId, step, attempt }, cut) => {
      takeBack();
      place = { runId, step, attempt };
      text.cut = cut;
    },
    forget: (callId) => calls.delete(callId),
    show: () => {
      const streams = [text, reasoning, ...calls.values()];
      if (place === null || streams.every((stream) => stream.text === "")) return null;
      return {
        sessionId,
        ...place,
        text: text.text,
        reasoning: reasoning.text,
        calls: [...calls].map(([callId, call]) => ({ callId, text: call.text })),
        cut: streams.some(({ cut }) => cut),
      };
    },
  };
}

function append(stream: Stream, piece: string): void {
  stream.text += piece;
  // Shorten the text only when it is twice as long as allowed: each cut copies the remaining text.
  if (stream.text.length <= 2 * kept) return;
  stream.text = stream.text.slice(-kept);
  stream.cut = true;
}
