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
  /** Pauses the current question while other work uses the terminal, then shows the question again. */
  before<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Withdraws questions that were not answered. */
  close(): void;
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

  let pause = new AbortController();

  /** Asks the person and sends the answer. Returns true if the question must be asked again. */
  const settle = async (ask: AskTarget): Promise<boolean> => {
    const { signal } = open.get(keyOf(ask)) ?? {};
    const { signal: paused } = pause;
    const session = holdfast.session(ask.sessionId);
    const found = await openAsk(session, ask.askId);
    if (found === null || signal === undefined || signal.aborted) return false;
    lines.waiting(null);
    const either = AbortSignal.any([signal, paused]);
    const reply = await replyTo(found, { lines, answerer, signal: either });
    if (reply === "takenBack" && !signal.aborted) return true;
    if (reply === "takenBack") {
      lines.say("  the question was withdrawn");
      if (signal.reason === elsewhere) lines.waiting("working");
    }
    // Leave the ask open: closing the terminal does not deny it.
    else if (reply === "gone") onGone();
    else {
      await session.answer(ask.askId, reply);
      lines.waiting("working");
    }
    return false;
  };
  const settleAll = async (ask: AskTarget): Promise<void> => {
    while (await oneAtATime(() => settle(ask)));
  };
  return {
    opened: (ask) => {
      const key = keyOf(ask);
      if (open.has(key)) return;
      open.set(key, new AbortController());
      void settleAll(ask)
        .catch((error: unknown) => {
          // Another client answered the ask at the same moment, or its run was stopped.
          const isLate = error instanceof Refused && error.code === "askClosed";
          if (!isLate) return onError(error);
          if (answerer !== "person")
            lines.say("  not used: the question was closed elsewhere before");
          lines.waiting("working");
        })
        .finally(() => open.delete(key));
    },
    before: (work) => {
      const done = oneAtATime(work);
      pause.abort();
      pause = new AbortController();
      return done;
    },
    closed: (ask) => open.get(keyOf(ask))?.abort(elsewhere),
    close: () => {
      for (const controller of open.values()) controller.abort();
    },
  };
}

/** The id of an ask is unique only in its session. */
function keyOf({ sessionId, askId }: AskTarget): string {
  return JSON.stringify([sessionId, askId]);
}

/** Abort reason for a question that was closed elsewhere while this command continues. */
const elsewhere = "the ask was closed elsewhere";

async function openAsk(session: SessionHandle, askId: string): Promise<Ask | null> {
  for await (const ask of session.eachAsk({ open: true })) if (ask.askId === askId) return ask;
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
