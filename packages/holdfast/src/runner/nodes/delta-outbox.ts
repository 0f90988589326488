import type { Clock, Timer } from "../../base/time.ts";
import type { NodeMessages } from "../../store/store.ts";
import { continues } from "../delta-hub.ts";
import { encodeMessages } from "./delta-message.ts";
import type { DeltaMessage } from "./delta-message.ts";

/**
 * Messages that wait to be sent to other nodes. They are sent in batches, one batch at a time, and use limited memory
 * (T3).
 */
export interface DeltaOutbox {
  add(messages: readonly DeltaMessage[]): void;
  close(): void;
}

/**
 * Milliseconds in which messages are collected. Only one batch is in flight, so a slow database slows the sending down.
 */
const gatherFor = 30;
/**
 * Maximum number of waiting characters. If there are more, all waiting messages are dropped, and the text in flight is
 * sent again later.
 */
const maxWaiting = 256 * 1024;
/** Maximum number of messages that one transaction sends. */
const maxBatch = 32;

export function createDeltaOutbox(options: {
  messages: Pick<NodeMessages, "send">;
  from: string;
  clock: Clock;
  /** Called when waiting or sent messages were lost. */
  onLost: () => void;
}): DeltaOutbox {
  const { messages, from, clock, onLost } = options;
  let waiting: DeltaMessage[] = [];
  let size = 0;
  let timer: Timer | null = null;
  let closed = false;

  const drop = (): void => {
    waiting = [];
    size = 0;
    if (!closed) onLost();
  };
  const flush = async (): Promise<void> => {
    const texts = encodeMessages(from, merged(waiting));
    waiting = [];
    size = 0;
    while (texts.length > 0) {
      if (await messages.send(texts.splice(0, maxBatch))) continue;
      drop();
      break;
    }
    timer = null;
    if (waiting.length > 0) schedule();
  };
  const schedule = (): void => {
    if (closed) return;
    timer ??= clock.after(gatherFor, () => void flush()).unref();
  };
  return {
    add: (added) => {
      if (closed) return;
      for (const message of added) {
        waiting.push(message);
        size += message.kind === "delta" ? message.delta.text.length + 200 : 200;
      }
      if (size > maxWaiting) drop();
      else if (waiting.length > 0) schedule();
    },
    close: () => {
      closed = true;
      waiting = [];
      timer?.cancel();
    },
  };
}

/** Joins neighbouring deltas of one stream while the result is short enough for a message. */
function merged(messages: readonly DeltaMessage[]): readonly DeltaMessage[] {
  const all: DeltaMessage[] = [];
  for (const message of messages) {
    const before = all.at(-1);
    if (before?.kind === "delta" && message.kind === "delta" && isOneWith(before, message)) {
      const text = before.delta.text + message.delta.text;
      all[all.length - 1] = { ...before, delta: { ...before.delta, text } };
    } else all.push(message);
  }
  return all;
}

type DeltaPart = Extract<DeltaMessage, { kind: "delta" }>;

const shortText = 1_000;

function isOneWith(before: DeltaPart, after: DeltaPart): boolean {
  const length = before.delta.text.length + after.delta.text.length;
  const isPlain = after.delta.kind !== "restart" && length <= shortText;
  return isPlain && before.to === after.to && continues(before.delta, after.delta);
}
