import { CommandRefused } from "../main.ts";
import type { Runtime, LedgerRow, Receipt } from "../main.ts";
import { exitCodes } from "./cli-error.ts";
import type { Lines } from "./lines.ts";
import { onOutputGone } from "./output-gone.ts";

/** What can end a wait from outside: Ctrl-C, a time limit, a signal to leave. */
export interface Stops {
  /** Resolves when this process shall leave and hand over what it has. */
  readonly left: Promise<"left">;
  readonly leave: () => void;
  /** From here on there is something to cancel; a Ctrl-C that came before counts. */
  promptAccepted(row: LedgerRow): void;
  /** From here on there is nothing to cancel any more: Ctrl-C leaves. */
  promptSettled(): void;
  wasInterrupted(): boolean;
  /** What the cancel has covered; null when there was none. */
  receipt(): Promise<Receipt | null>;
  close(): void;
}

export function listenForStops(
  runtime: Runtime,
  target: {
    sessionId: string;
    lines: Lines;
    timeout?: number;
    onError: (error: unknown) => void;
  },
): Stops {
  const { sessionId, lines, timeout, onError } = target;
  const left = Promise.withResolvers<"left">();
  let interrupts = 0;
  let late = false;
  let accepted: LedgerRow | null = null;
  let settled = false;
  let receipt: Promise<Receipt | null> = Promise.resolve(null);

  let leaving = false;
  const leave = (): void => {
    if (leaving) return;
    leaving = true;
    lines.say(`leaving; what is unfinished is kept and goes on with --session ${sessionId}`);
    left.resolve("left");
  };
  const cancel = (row: LedgerRow): void => {
    const cancelled = late ? cancelPrompt(runtime, row) : cancelUpTo(runtime, row);
    receipt = cancelled.catch((error: unknown) => {
      onError(error);
      return null;
    });
  };
  const interrupt = (): void => {
    interrupts += 1;
    if (settled) {
      leave();
    } else if (interrupts === 1) {
      lines.say("cancelling; Ctrl-C again leaves at once");
      if (accepted !== null) cancel(accepted);
    } else {
      lines.say(
        "left at once; the cancel is on record, and the next run of the session settles it",
      );
      process.exit(exitCodes.interrupted);
    }
  };
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => {
          if (settled || interrupts > 0) return;
          late = true;
          lines.say(`the time of ${timeout} ms is over; cancelling the prompt`);
          if (accepted !== null) cancel(accepted);
        }, timeout);
  onOutputGone(leave);
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", leave);
  process.on("SIGHUP", leave);
  return {
    left: left.promise,
    leave,
    promptAccepted: (row) => {
      accepted = row;
      if (interrupts > 0 || late) cancel(row);
    },
    promptSettled: () => {
      settled = true;
    },
    wasInterrupted: () => interrupts > 0,
    receipt: () => receipt,
    close: () => {
      clearTimeout(timer);
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", leave);
      process.off("SIGHUP", leave);
    },
  };
}

/** A receipt in words. */
export function receiptText({ covered, background }: Receipt): string {
  const running = covered.filter(({ was }) => was === "running" || was === "takenIn").length;
  const queued = covered.length - running;
  const stopped = [
    running > 0 ? `${running} running` : "",
    queued > 0 ? `${queued} queued` : "",
  ].filter((part) => part !== "");
  const text = stopped.length === 0 ? "nothing was left to stop" : `stopped ${stopped.join(", ")}`;
  if (background.length === 0) return text;
  const sessions = background.map((child) => child.sessionId).join(", ");
  return `${text}; still at work in the background: ${sessions}`;
}

/** All that stood before the prompt, and itself: what was sent after it is another's wish (C1). */
function cancelUpTo(runtime: Runtime, row: LedgerRow): Promise<Receipt> {
  const { sessionId, acceptSeq } = row;
  return runtime.cancel({ sessionId, scope: { kind: "session", upTo: acceptSeq, tree: false } });
}

/** A prompt that was taken into another's run ends only with that run (C6). */
async function cancelPrompt(runtime: Runtime, row: LedgerRow): Promise<Receipt> {
  const { sessionId, promptId } = row;
  try {
    return await runtime.cancel({ sessionId, scope: { kind: "prompt", promptId } });
  } catch (error) {
    if (!(error instanceof CommandRefused) || error.refusal.code !== "takenIn") throw error;
    const { runId } = error.refusal;
    return runtime.cancel({ sessionId, scope: { kind: "run", runId } });
  }
}
