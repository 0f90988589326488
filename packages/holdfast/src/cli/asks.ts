import { CommandRefused } from "../main.ts";
import type { AskBody, Runtime } from "../main.ts";
import { readBodyAs } from "./body-text.ts";
import type { Lines } from "./lines.ts";
import {
  permissionOf,
  permissionPrompt,
  permissionText,
  readPermissionReply,
} from "./permission.ts";
import { askPerson, terminalInput } from "./person.ts";
import type { Unanswered } from "./person.ts";
import { printable } from "./printable.ts";
import { readQuestionReply } from "./reply.ts";
import type { Reply } from "./reply.ts";
import { onStderr } from "./style.ts";

/** Puts asks to the person at the terminal, one after the other; denies them where there is none. */
export interface Asks {
  opened(ask: { sessionId: string; askId: string }): void;
  /** Somebody else has answered it, or its run was stopped. */
  closed(askId: string): void;
  /** Takes questions back that nobody has answered. */
  close(): void;
}

/** Who answers: a person at the terminal, `--yes` in advance, or nobody. */
export type Answerer = "person" | "yes" | "nobody";

export function createAsks(
  runtime: Runtime,
  options: {
    lines: Lines;
    answerer: Answerer;
    /** The person has left: there will be no answer here. */
    onGone: () => void;
    onError: (error: unknown) => void;
  },
): Asks {
  const { lines, answerer, onGone, onError } = options;
  const open = new Map<string, AbortController>();
  let tail: Promise<void> = Promise.resolve();

  const settle = async (ask: { sessionId: string; askId: string }): Promise<void> => {
    const { signal } = open.get(ask.askId) ?? {};
    const row = await runtime.store.ask(ask.sessionId, ask.askId);
    if (row === null || row.closed !== null || signal === undefined || signal.aborted) return;
    const body = await readBodyAs<AskBody>(runtime.store, row.body);
    lines.waiting(null);
    const reply = await replyTo(body ?? { question: "", extra: null }, { lines, answerer, signal });
    if (reply === "takenBack") lines.say("  the question was taken back");
    // It stays open: a terminal that went away has not said no.
    else if (reply === "gone") onGone();
    else await runtime.answer({ ...ask, ...reply });
  };
  return {
    opened: (ask) => {
      if (open.has(ask.askId)) return;
      open.set(ask.askId, new AbortController());
      tail = tail
        .then(() => settle(ask))
        .catch((error: unknown) => {
          // It was answered elsewhere, or its run was stopped, in the same moment.
          const isLate = error instanceof CommandRefused && error.refusal.code === "askClosed";
          if (!isLate) onError(error);
        })
        .finally(() => open.delete(ask.askId));
    },
    closed: (askId) => open.get(askId)?.abort(),
    close: () => {
      for (const controller of open.values()) controller.abort();
    },
  };
}

async function replyTo(
  body: AskBody,
  options: { lines: Lines; answerer: Answerer; signal: AbortSignal },
): Promise<Reply | Unanswered> {
  const { lines, answerer, signal } = options;
  const { question, choices } = questionOf(body);
  const permission = permissionOf(body.extra);
  const show = answerer === "yes" ? lines.note : lines.say;
  show(`${onStderr("yellow", "?")} ${onStderr("bold", printable(question))}`);
  if (answerer === "person") {
    if (permission !== null) {
      lines.say(permissionText(permission));
      const prompt = permissionPrompt(permission);
      return askPerson(lines, {
        prompt,
        signal,
        input: terminalInput(),
        read: readPermissionReply,
      });
    }
    for (const [index, choice] of choices.entries()) lines.say(`  ${index + 1}  ${choice}`);
    const prompt = questionPrompt({ isOpen: isOpenQuestion(body.extra), choices });
    const read = (line: string): Reply | null =>
      readQuestionReply(line, { isOpen: isOpenQuestion(body.extra), choices });
    return askPerson(lines, { prompt, signal, input: terminalInput(), read });
  }
  if (isOpenQuestion(body.extra)) {
    show("  nobody is asked: there is no terminal");
    return { verdict: "deny", text: nobodyToAsk };
  }
  if (answerer === "yes") {
    show("  allowed: --yes");
    return { verdict: "allow" };
  }
  show("  denied: there is no terminal to ask on; --yes allows everything");
  return { verdict: "deny", text: "denied: there was no terminal to ask on" };
}

const nobodyToAsk =
  "Nobody is there to answer. Decide it yourself, or end and say what you need to know.";

function questionOf({ question, extra }: AskBody): { question: string; choices: string[] } {
  const known = typeof extra === "object" && extra !== null && "choices" in extra;
  const choices = known && Array.isArray(extra.choices) ? extra.choices : [];
  return { question, choices: choices.map((choice) => printable(String(choice))) };
}

/** One that wants words, not a yes or a no. */
function isOpenQuestion(extra: unknown): boolean {
  return (
    typeof extra === "object" && extra !== null && "kind" in extra && extra.kind === "question"
  );
}

function questionPrompt(question: { isOpen: boolean; choices: readonly string[] }): string {
  if (!question.isOpen) return "  y or n, and words if you like: ";
  return question.choices.length > 0 ? "  a number, or your own words: " : "  your answer: ";
}
