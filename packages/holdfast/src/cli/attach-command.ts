import type { Receipt, SessionHandle, SessionItem } from "@holdfast/sdk";
import { createAttachLines } from "./attach-lines.ts";
import { chooseSession, placeOf } from "./client-options.ts";
import type { ClientOptions } from "./client-options.ts";
import { describeError, exitCodes } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";
import { watchedFetch } from "./connection.ts";
import { openInputLine } from "./input-line.ts";
import { createLines } from "./lines.ts";
import type { Lines } from "./lines.ts";
import { expectServer } from "../main.ts";
import { onOutputGone } from "./output-gone.ts";
import { oneLine } from "./printable.ts";
import { questionFor } from "./question.ts";
import type { Question } from "./question.ts";
import { receiptText } from "./receipt.ts";
import { onStdout } from "./style.ts";
import { createTextView } from "./view.ts";

export type AttachInput = ClientOptions & {
  readonly session?: string;
  readonly tail: number;
  readonly json?: true;
};

/** `holdfast attach`: one of any number of people at a session. Leaving leaves it at work. */
export async function attach(input: AttachInput): Promise<ExitCode> {
  const ready: { desk: Desk | null } = { desk: null };
  const say = (text: string): void => ready.desk?.lines.say(text);
  const fetch = watchedFetch({ lines: { say }, patience });
  const { holdfast } = await expectServer({ ...placeOf(input), patience, fetch });
  const session = await chooseSession(holdfast, input.session);
  const { seq, title, directory } = await session.get();
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  onOutputGone(leave);
  process.once("SIGTERM", leave);
  process.once("SIGHUP", leave);
  const isTyped = input.json !== true && process.stdin.isTTY && process.stdout.isTTY;
  const desk = isTyped ? openDesk(session, leave) : openWindow(session, input.json === true);
  ready.desk = desk;
  if (!isTyped) process.once("SIGINT", leave);
  if (input.json !== true) {
    const words = oneLine(`${title ?? ""}  in ${directory}`, 200);
    desk.lines.note(dim(`${session.sessionId}  ${words}`));
  }
  const after = Math.max(0, seq - input.tail);
  try {
    for await (const item of session.events({ after, signal: leaving.signal })) desk.take(item);
    return exitCodes.ok;
  } catch (error) {
    if (leaving.signal.aborted) return exitCodes.ok;
    throw error;
  } finally {
    desk.close();
    process.off("SIGTERM", leave);
    process.off("SIGHUP", leave);
    process.off("SIGINT", leave);
  }
}

/** Milliseconds to wait for a server that is away. */
const patience = 60_000;

/** Where a session is followed, and maybe talked to. */
interface Desk {
  readonly lines: Lines;
  take(item: SessionItem): void;
  close(): void;
}

/** For looking only: into a file, a pipe, or as JSON. */
function openWindow({ sessionId }: SessionHandle, isJson: boolean): Desk {
  const lines = createLines({ answers: true, notes: true });
  const view = createTextView({ sessionId, lines });
  return {
    lines,
    take: (item) => {
      if (isJson) return printJson(item);
      showPrompt(item, lines);
      return view.take(item);
    },
    close: () => lines.close(),
  };
}

const hint = "Enter queues, /steer and /interrupt deliver at once, Esc cancels, Ctrl-D leaves";

/** With a line to type in: prompts, answers to questions, and a key that cancels. */
function openDesk(session: SessionHandle, leave: () => void): Desk {
  const asks = new Map<string, Question>();
  const input = openInputLine({
    onLine: (line) => enter(line),
    onEscape: () => inOrder(cancel),
    onLeave: leave,
  });
  const lines = createAttachLines(input);
  const view = createTextView({ sessionId: session.sessionId, lines });
  const report = (error: unknown): void => lines.say(describeError(error).line);
  const cancel = async (): Promise<void> => {
    const receipt: Receipt = await session.cancel();
    lines.say(onStdout("yellow", `cancelled: ${receiptText(receipt)}`));
  };
  let sent: Promise<unknown> = Promise.resolve();
  /** One after the other: what is typed while the server is away arrives in the order of typing. */
  const inOrder = (send: () => Promise<unknown>): void => {
    sent = sent.then(send).catch(report);
  };
  const enter = (line: string): void => {
    if (line === "") return;
    const [ask] = asks;
    if (ask !== undefined && !line.startsWith("/")) return answer(...ask, line);
    const { delivery, text } = readLine(line);
    if (delivery === null) return lines.say(`there is no ${line.split(" ")[0] ?? ""}; ${hint}`);
    if (text === "") return lines.say("say what it shall do");
    inOrder(() => session.prompt(text, { delivery }));
  };
  const answer = (askId: string, question: Question, line: string): void => {
    const reply = question.read(line);
    if (reply === null) return lines.say("that is no answer to the question");
    inOrder(() => session.answer(askId, reply));
  };
  const showAsk = (): void => {
    const [first] = asks.values();
    input.prompt(first?.prompt ?? "> ");
  };
  lines.note(dim(hint));
  showAsk();
  return {
    lines,
    take: (item) => {
      showPrompt(item, lines);
      view.take(item);
      if (item.type === "ask.opened") {
        const question = questionFor(item.content);
        asks.set(item.askId, question);
        lines.say([question.head, question.details].filter((part) => part !== "").join("\n"));
      }
      if (item.type === "ask.closed" && asks.delete(item.askId)) {
        lines.note(dim(`  ${closing(item)}`));
      }
      showAsk();
    },
    close: () => {
      lines.close();
      input.close();
      console.log("left; the session goes on");
    },
  };
}

function printJson(item: SessionItem): void {
  if ("seq" in item && item.type !== "live") console.log(JSON.stringify(item));
}

/** Who has sent what, and what became of it where that is not the answer itself. */
function showPrompt(item: SessionItem, lines: Lines): void {
  if (item.type === "prompt.accepted") {
    const { actor, delivery, content } = item;
    const how = delivery === "queue" ? "" : ` (${delivery})`;
    lines.note(
      onStdout("cyan", `› ${oneLine(content?.text ?? "", 200)}`) + dim(`  ${actor.id}${how}`),
    );
  }
  if (item.type === "prompt.settled" && item.outcome.status !== "completed") {
    const { status, reason } = item.outcome;
    const why = reason === null ? "" : ` (${reason})`;
    const text = status === "failed" ? (item.content?.text ?? "") : "";
    const words = `${item.promptId} ${status}${why}${text === "" ? "" : `: ${oneLine(text, 200)}`}`;
    lines.note(onStdout(status === "failed" ? "red" : "yellow", `  ${words}`));
  }
}

function dim(text: string): string {
  return onStdout("dim", text);
}

function closing({ resolution, actor }: Extract<SessionItem, { type: "ask.closed" }>): string {
  if (resolution.kind === "answered") return `${resolution.verdict} by ${actor.id}`;
  return resolution.kind === "expired" ? "the question has expired" : "the question was taken back";
}

/** A line as a prompt: how it is delivered, and its words; null for a command that is unknown. */
function readLine(line: string): {
  delivery: "queue" | "steer" | "interrupt" | null;
  text: string;
} {
  const match = /^\/(\w+)\s*(.*)$/s.exec(line);
  if (match === null) return { delivery: "queue", text: line };
  const [, word = "", text = ""] = match;
  const known = (["queue", "steer", "interrupt"] as const).find((name) => name === word);
  return { delivery: known ?? null, text };
}
