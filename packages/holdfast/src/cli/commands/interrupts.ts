import { Refused } from "@holdfast/sdk";
import type { Prompt, Receipt, SessionHandle } from "@holdfast/sdk";
import { exitCodes } from "../cli-error.ts";
import type { Lines } from "../terminal/lines.ts";
import { onOutputGone } from "../terminal/output-gone.ts";

/** Ends a wait from outside: Ctrl-C, a time limit, or a signal to leave. */
export interface Interrupts {
  /** Resolves when this process shall leave what it has to others. */
  readonly left: Promise<"left">;
  /** Aborted then: what still waits for a server need not. */
  readonly leaving: AbortSignal;
  readonly leave: () => void;
  /** From here on there is something to cancel; a Ctrl-C that came before counts. */
  promptAccepted(entry: Prompt): void;
  /** From here on there is nothing to cancel any more: Ctrl-C leaves. */
  promptSettled(): void;
  wasInterrupted(): boolean;
  /** Whether the time limit has ended the wait. */
  wasLate(): boolean;
  /** What the cancel has covered; null when there was none. */
  receipt(): Promise<Receipt | null>;
  close(): void;
}

export function listenForInterrupts(
  session: SessionHandle,
  target: {
    lines: Lines;
    timeout?: number;
    /** A server works on it, and others may too: what is theirs is left alone. */
    isShared: boolean;
    /** What is known of a prompt that the server has not answered yet. */
    unanswered: string;
    onError: (error: unknown) => void;
  },
): Interrupts {
  const { lines, timeout, isShared, unanswered, onError } = target;
  const { sessionId } = session;
  const left = Promise.withResolvers<"left">();
  const leaving = new AbortController();
  let interrupts = 0;
  let late = false;
  let accepted: Prompt | null = null;
  let settled = false;
  let recorded = false;
  let receipt: Promise<Receipt | null> = Promise.resolve(null);

  const leave = (): void => {
    if (leaving.signal.aborted) return;
    lines.say(`leaving; ${rest()}`);
    left.resolve("left");
    leaving.abort();
  };
  const rest = (): string => {
    if (!isShared) return `what is unfinished is kept and goes on with --session ${sessionId}`;
    if (accepted === null) return unanswered;
    return `the server goes on with it, and holdfast attach ${sessionId} shows how`;
  };
  const cancel = (entry: Prompt): void => {
    const cancelled = late || isShared ? cancelPrompt(entry) : cancelUpTo(entry);
    receipt = cancelled
      .then((answer) => {
        recorded = true;
        return answer;
      })
      .catch((error: unknown) => {
        onError(error);
        return null;
      });
  };
  /** All that stood before the prompt, and itself: what was sent after it is another's wish (C1). */
  const cancelUpTo = ({ acceptSeq }: Prompt): Promise<Receipt> =>
    session.cancel({ upTo: acceptSeq });
  /** A prompt that was taken into another's run ends only with that run (C6). */
  const cancelPrompt = async (entry: Prompt): Promise<Receipt | null> => {
    try {
      return await session.promptById(entry.promptId).withdraw();
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "takenIn") throw error;
      if (!isShared) return cancelUpTo(entry);
      const advice = `holdfast cancel ${sessionId} stops that`;
      lines.say(`the prompt was taken into another's run and ends with it; ${advice}`);
      leave();
      return null;
    }
  };
  const interrupt = (): void => {
    interrupts += 1;
    if (settled) {
      leave();
    } else if (interrupts === 1) {
      lines.say("cancelling; Ctrl-C again leaves at once");
      if (accepted !== null) cancel(accepted);
    } else {
      lines.say(`left at once; ${fate()}`);
      process.exit(exitCodes.interrupted);
    }
  };
  const fate = (): string => {
    if (!isShared) return "the cancel is on record, and the next run of the session settles it";
    if (recorded) return "the cancel is on record, and the server settles it";
    return "the server has not answered, so the prompt may go on there";
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
    leaving: leaving.signal,
    leave,
    promptAccepted: (entry) => {
      accepted = entry;
      if (interrupts > 0 || late) cancel(entry);
    },
    promptSettled: () => {
      settled = true;
    },
    wasInterrupted: () => interrupts > 0,
    wasLate: () => late,
    receipt: () => receipt,
    close: () => {
      clearTimeout(timer);
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", leave);
      process.off("SIGHUP", leave);
    },
  };
}
