import { askSubject } from "@holdfast/model/ask-extra.ts";
import { Refused } from "@holdfast/sdk";
import type { Ask, Holdfast, SessionHandle } from "@holdfast/sdk";
import { createMutex } from "../../base/serial.ts";
import type { Lines } from "./lines.ts";
import { askPerson, terminalInput } from "./person.ts";
import type { Unanswered } from "./person.ts";
import { questionFor } from "./question.ts";
import type { Reply } from "./question.ts";

/** Asks the person at the terminal, one question at a time; denies if there is no terminal. */
export interface Asks {
  opened(ask: AskTarget): void;
  /** Call if another client answered the ask, or its run was stopped. */
  closed(ask: AskTarget): void;
  /**
   * Pauses the current question while other work uses the terminal, then shows the question again. The work comes before
   * all questions that wait for their turn.
   */
  before<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Withdraws questions that were not answered, and asks no more. Resolves when the open question is closed. */
  close(): Promise<void>;
}

interface AskTarget {
  readonly sessionId: string;
  readonly askId: string;
}

/** Source of the answers: a person at the terminal, `--yes`, or nobody. */
export type Answerer = "person" | "yes" | "nobody";

export function createAsks(
  holdfast: Holdfast,
  options: {
    lines: Lines;
    answerer: Answerer;
    /** Called when the terminal is closed: this client can then give no answer. */
    onGone: () => void;
    onError: (error: unknown) => void;
  },
): Asks {
  const { lines, answerer, onGone, onError } = options;
  const open = new Map<string, AbortController>();
  const oneAtATime = createMutex();

  /** Aborts when other work interrupts the open question. */
  let pause = new AbortController();
  let interruptions = 0;
  let isClosed = false;

  /**
   * Shows the question in its turn and returns the answer. "again": ask again, because other work was first. Null:
   * there is nothing to answer.
   */
  const ask = async (target: AskTarget): Promise<Reply | "again" | null> => {
    const { signal } = open.get(keyOf(target)) ?? {};
    if (signal === undefined || signal.aborted) return null;
    if (interruptions > 0) return "again";
    const either = AbortSignal.any([signal, pause.signal]);
    const found = await openAsk(holdfast.session(target.sessionId), target.askId, either);
    if (signal.aborted) return null;
    if (either.aborted) return "again";
    if (found === null) return null;
    lines.waiting(null);
    const reply = await replyTo(found, { lines, answerer, signal: either });
    if (reply === "takenBack") {
      if (!signal.aborted) return "again";
      lines.say("  the question was withdrawn");
      if (signal.reason === elsewhere) lines.waiting("working");
      return null;
    }
    if (reply === "gone") {
      // Leave the ask open: closing the terminal does not deny it.
      onGone();
      return null;
    }
    lines.waiting("working");
    return reply;
  };
  const settle = async (target: AskTarget): Promise<void> => {
    const reply = await oneAtATime(() => ask(target));
    if (reply === "again") return settle(target);
    // Send the answer outside the turn: until the server has taken it, the terminal is free for another question.
    if (reply !== null) await holdfast.session(target.sessionId).answer(target.askId, reply);
  };
  return {
    opened: (target) => {
      const key = keyOf(target);
      if (open.has(key) || isClosed) return;
      open.set(key, new AbortController());
      void settle(target)
        .catch((error: unknown) => {
          // Another client answered the ask at the same moment, or its run was stopped.
          const isLate = error instanceof Refused && error.code === "askClosed";
          if (!isLate) return onError(error);
          if (answerer !== "person")
            lines.say("  not used: the question was closed elsewhere before");
        })
        .finally(() => open.delete(key));
    },
    before: (work) => {
      interruptions += 1;
      const done = oneAtATime(() =>
        work().finally(() => {
          interruptions -= 1;
        }),
      );
      pause.abort();
      pause = new AbortController();
      return done;
    },
    closed: (target) => open.get(keyOf(target))?.abort(elsewhere),
    close: async () => {
      isClosed = true;
      for (const controller of open.values()) controller.abort();
      await oneAtATime(async () => {});
    },
  };
}

/** The id of an ask is unique only in its session. */
function keyOf({ sessionId, askId }: AskTarget): string {
  return JSON.stringify([sessionId, askId]);
}

/** Abort reason for a question that was closed elsewhere while this command continues. */
const elsewhere = "the ask was closed elsewhere";

/** Returns null if the ask is not open any more, or if the signal aborts. */
async function openAsk(
  session: SessionHandle,
  askId: string,
  signal: AbortSignal,
): Promise<Ask | null> {
  try {
    for await (const ask of session.eachAsk({ open: true, signal }))
      if (ask.askId === askId) return ask;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return null;
}

async function replyTo(
  ask: Ask,
  options: { lines: Lines; answerer: Answerer; signal: AbortSignal },
): Promise<Reply | Unanswered> {
  const { lines, answerer, signal } = options;
  const { head, details, prompt, isOpen, read } = questionFor(ask);
  const show = answerer === "yes" ? lines.note : lines.say;
  const input = terminalInput();
  // `--yes` is a permission for the agent's actions. Only a person may raise a limit for spending.
  const isBudget = askSubject(ask.extra).kind === "budget";
  const isForPerson = answerer === "person" || (answerer === "yes" && isBudget && input !== null);
  show(head);
  if (isForPerson) {
    if (details !== "") lines.say(details);
    return askPerson(lines, { prompt, signal, input, read });
  }
  if (isOpen) {
    show("  not asked: there is no terminal");
    return { verdict: "deny", text: nobodyToAsk };
  }
  if (answerer === "yes" && !isBudget) {
    show("  allowed: --yes");
    return { verdict: "allow" };
  }
  const advice = isBudget ? "set a higher limit with --budget" : "--yes allows everything";
  show(`  denied: there is no terminal to ask; ${advice}`);
  return { verdict: "deny", text: "there was no terminal to ask" };
}

const nobodyToAsk =
  "Nobody can answer now. Decide yourself, or stop and say what you need to know.";
