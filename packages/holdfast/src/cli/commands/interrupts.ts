import { Refused } from "@holdfast/sdk";
import type { Prompt, Receipt, SessionHandle } from "@holdfast/sdk";
import { exitCodes } from "../cli-error.ts";
import type { Lines } from "../terminal/lines.ts";
import { onOutputGone } from "../terminal/output-gone.ts";
import { shortId } from "../ids.ts";

/** Ends the wait for a prompt: after Ctrl-C, at a time limit, or when the process receives a signal to end. */
export interface Interrupts {
  /** Resolves when this process should stop waiting. The server, or a later command, continues the prompt. */
  readonly left: Promise<"left">;
  /** Aborts when `left` resolves, so that pending requests to the server end. */
  readonly leaving: AbortSignal;
  readonly leave: () => void;
  /** Call when a prompt was accepted: Ctrl-C then cancels it, even if Ctrl-C was pressed before the accept. */
  promptAccepted(entry: Prompt): void;
  /** Call when the prompt is settled: from now on Ctrl-C ends the command. */
  promptSettled(): void;
  /** Registers a question: from now on, the first Ctrl-C asks the person what to do. */
  askWith(question: StopQuestion): void;
  /** Ends an open question without an answer. Resolves when it is closed, so that it is not printed again. */
  endQuestion(): Promise<void>;
  wasInterrupted(): boolean;
  /** True if the person has chosen to leave the prompt to the server. */
  wasDetached(): boolean;
  /** True if the time limit has ended the wait. */
  wasLate(): boolean;
  /** Returns the receipt of the cancel; null if nothing was cancelled. */
  receipt(): Promise<Receipt | null>;
  close(): void;
}

/** The person's choice after the first Ctrl-C. */
export type Choice = "stop" | "detach" | "goOn";

interface StopQuestion {
  readonly ask: (signal: AbortSignal) => Promise<Choice>;
  /** Calls `work` when no other question is open. */
  readonly inTurn: (work: () => Promise<Choice>) => Promise<Choice>;
}

export function listenForInterrupts(
  session: SessionHandle,
  target: {
    lines: Lines;
    timeout?: number;
    /** True if a server does the work and others may use the session. Then Ctrl-C cancels only our own prompt. */
    isShared: boolean;
    /** Message to print if the user leaves before the server has acknowledged the prompt. */
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
    if (!isShared)
      return `unfinished work is kept; continue it with --session ${shortId(sessionId)}`;
    if (accepted === null) return unanswered;
    return `the server continues; to follow it: holdfast attach ${shortId(sessionId)}`;
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
  /** Cancels this prompt and all prompts before it. Later prompts may be from other users (C1). */
  const cancelUpTo = ({ acceptSeq }: Prompt): Promise<Receipt> =>
    session.cancel({ upTo: acceptSeq });
  /** Cancels only this prompt. If it joined another prompt's run, it ends only with that run (C6). */
  const cancelPrompt = async (entry: Prompt): Promise<Receipt | null> => {
    try {
      return await session.promptById(entry.promptId).withdraw();
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "takenIn") throw error;
      if (!isShared) return cancelUpTo(entry);
      const advice = `to stop that run: holdfast cancel ${shortId(sessionId)}`;
      lines.say(`the prompt joined another prompt's run and ends with it; ${advice}`);
      leave();
      return null;
    }
  };
  let question: StopQuestion | null = null;
  /** Resolves when the question is closed. */
  let asking: Promise<unknown> = Promise.resolve();
  let detached = false;
  const choosing = new AbortController();
  const endQuestion = async (): Promise<void> => {
    choosing.abort();
    await asking;
  };
  const stop = (): void => {
    interrupts += 1;
    void endQuestion().then(() => lines.say("cancelling; press Ctrl-C again to quit at once"));
    if (accepted !== null) cancel(accepted);
  };
  const act = (choice: Choice): void => {
    if (choosing.signal.aborted || settled) return;
    if (choice === "stop") stop();
    if (choice !== "detach") return;
    detached = true;
    leave();
  };
  const interrupt = (): void => {
    if (settled) {
      interrupts += 1;
      leave();
    } else if (interrupts > 0) {
      lines.say(`quit; ${fate()}`);
      process.exit(exitCodes.interrupted);
    } else if (question === null || accepted === null) stop();
    else {
      const { ask, inTurn } = question;
      // Ask the person only once: the next Ctrl-C stops the prompt.
      question = null;
      const askNow = (): Promise<Choice> => {
        // An earlier question may have taken so long that this one is no longer needed.
        if (choosing.signal.aborted) return Promise.resolve("goOn");
        const answer = ask(choosing.signal);
        asking = answer.catch(() => {});
        return answer;
      };
      inTurn(askNow).then(act, onError);
    }
  };
  const fate = (): string => {
    if (!isShared)
      return "the cancel is recorded and takes effect with the next run of the session";
    if (recorded) return "the cancel is recorded, and the server completes it";
    return "the server has not answered, so the prompt may continue there";
  };
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => {
          if (settled || interrupts > 0) return;
          late = true;
          lines.say(`the time limit of ${timeout} ms is reached; cancelling the prompt`);
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
    askWith: (asked) => {
      question = asked;
    },
    endQuestion,
    wasInterrupted: () => interrupts > 0,
    wasDetached: () => detached,
    wasLate: () => late,
    receipt: () => receipt,
    close: () => {
      choosing.abort();
      clearTimeout(timer);
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", leave);
      process.off("SIGHUP", leave);
    },
  };
}
