import { CommandRefused } from "../main.ts";
import type { Holdfast } from "../main.ts";
import { exitCodes } from "./cli-error.ts";
import type { Lines } from "./lines.ts";

/** What can end a wait from outside: Ctrl-C, a time limit, a signal to leave. */
export interface Stops {
  /** Resolves when this process shall leave and hand over what it has. */
  readonly left: Promise<"left">;
  /** From here on there is something to cancel; a Ctrl-C that came before counts. */
  promptAccepted(): void;
  /** From here on there is nothing to cancel any more: Ctrl-C leaves. */
  promptSettled(): void;
  wasInterrupted(): boolean;
  close(): void;
}

export function listenForStops(
  runtime: Holdfast,
  target: {
    sessionId: string;
    promptId: string;
    lines: Lines;
    timeout?: number;
    onError: (error: unknown) => void;
  },
): Stops {
  const { sessionId, lines, timeout, onError } = target;
  const left = Promise.withResolvers<"left">();
  let interrupts = 0;
  let late = false;
  let accepted = false;
  let settled = false;

  const leave = (): void => {
    lines.note(`leaving; what is unfinished is kept and goes on with --session ${sessionId}`);
    left.resolve("left");
  };
  const cancel = (): void => {
    cancelPrompt(runtime, target).catch(onError);
  };
  const interrupt = (): void => {
    interrupts += 1;
    if (settled) {
      leave();
    } else if (interrupts === 1) {
      lines.note("cancelling the prompt; Ctrl-C again leaves at once");
      if (accepted) cancel();
    } else {
      lines.note(
        "left at once; the cancel is on record, and the next run of the session settles it",
      );
      process.exit(exitCodes.interrupted);
    }
  };
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => {
          if (settled) return;
          late = true;
          lines.note(`the time of ${timeout} ms is over; cancelling the prompt`);
          if (accepted) cancel();
        }, timeout);
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", leave);
  process.on("SIGHUP", leave);
  return {
    left: left.promise,
    promptAccepted: () => {
      accepted = true;
      if (interrupts > 0 || late) cancel();
    },
    promptSettled: () => {
      settled = true;
    },
    wasInterrupted: () => interrupts > 0,
    close: () => {
      clearTimeout(timer);
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", leave);
      process.off("SIGHUP", leave);
    },
  };
}

/** A prompt that was taken into another's run ends only with that run (C6). */
async function cancelPrompt(
  runtime: Holdfast,
  target: { sessionId: string; promptId: string },
): Promise<void> {
  const { sessionId, promptId } = target;
  try {
    await runtime.cancel({ sessionId, scope: { kind: "prompt", promptId } });
  } catch (error) {
    if (!(error instanceof CommandRefused) || error.refusal.code !== "takenIn") throw error;
    const { runId } = error.refusal;
    await runtime.cancel({ sessionId, scope: { kind: "run", runId } });
  }
}
