import { isEvent } from "@holdfast/sdk";
import type { Ask, Receipt, SessionHandle, SessionItem } from "@holdfast/sdk";
import { chooseSession, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { watchConnection } from "../connection.ts";
import type { ConnectionChange } from "../connection.ts";
import { describeError } from "../describe-error.ts";
import { createAttachLines, openInputLine } from "../terminal/input-line.ts";
import { createLines } from "../terminal/lines.ts";
import type { Lines } from "../terminal/lines.ts";
import { openClient } from "../../compose/client.ts";
import { createOutbox } from "../terminal/outbox.ts";
import { onOutputGone } from "../terminal/output-gone.ts";
import { oneLine, printable } from "../terminal/printable.ts";
import { questionFor } from "../terminal/question.ts";
import type { Question } from "../terminal/question.ts";
import { onStdout } from "../terminal/style.ts";
import { createTextView } from "../terminal/view.ts";
import { receiptText } from "./outcome.ts";
import { readSlashCommand } from "./prompt-content.ts";

export type AttachInput = ClientOptions & {
  readonly session?: string;
  readonly tail: number;
  readonly json?: true;
};

/** `holdfast attach`: one of any number of people at a session. Leaving leaves it at work. */
export async function attach(input: AttachInput): Promise<ExitCode> {
  const ready: { desk: Desk | null } = { desk: null };
  const onChange = ({ words }: ConnectionChange): void => ready.desk?.lines.say(words);
  const watch = watchConnection({ patience, onChange });
  await using client = await openClient({ ...placeOf(input), patience, watch }, "server");
  const { holdfast } = client;
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
  const { signal } = leaving;
  try {
    const older = await openAsks(session, signal);
    for await (const item of session.events({ after, signal })) {
      desk.take(item);
      if (item.type === "ask.opened" || item.type === "ask.closed") older.delete(item.askId);
      if (item.type !== "live") continue;
      // What was asked before the events that are shown, and waits for an answer all the same.
      for (const ask of older.values()) desk.ask(ask);
      older.clear();
    }
    return exitCodes.ok;
  } catch (error) {
    if (signal.aborted) return exitCodes.ok;
    throw error;
  } finally {
    await desk.close();
    process.off("SIGTERM", leave);
    process.off("SIGHUP", leave);
    process.off("SIGINT", leave);
  }
}

/** Milliseconds to wait for a server that is away. */
const patience = 60_000;

/** Milliseconds that what was typed has to leave, once the person wants to. */
const lastWords = 5_000;

/** Where a session is followed, and maybe talked to. */
interface Desk {
  readonly lines: Lines;
  take(item: SessionItem): void;
  /** Shows one that is open, as it would have when it was opened. */
  ask(ask: OpenAsk): void;
  close(): Promise<void>;
}

type OpenAsk = Pick<Ask, "askId" | "question" | "extra">;

async function openAsks(session: SessionHandle, signal: AbortSignal): Promise<Map<string, Ask>> {
  const asks = new Map<string, Ask>();
  for await (const ask of session.eachAsk({ open: true, signal })) asks.set(ask.askId, ask);
  return asks;
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
    ask: (ask) => {
      if (!isJson) lines.note(questionText(questionFor(ask)));
    },
    close: async () => lines.close(),
  };
}

function questionText({ head, details }: Question): string {
  return [head, details].filter((part) => part !== "").join("\n");
}

const hint =
  "Enter queues, /steer and /interrupt deliver at once, /name is a command, Esc cancels, Ctrl-D leaves";

/** With a line to type in: prompts, answers to questions, and a key that cancels. */
function openDesk(session: SessionHandle, leave: () => void): Desk {
  const asks = new Map<string, Question>();
  const input = openInputLine({
    onLine: (line) => enter(line),
    onEscape: () => outbox.put("the cancel", cancel),
    onLeave: leave,
  });
  const lines = createAttachLines(input);
  const view = createTextView({ sessionId: session.sessionId, lines });
  /** Where the offered tree cancel ends: prompts that were accepted later are left alone. */
  let treeUpTo: number | null = null;
  const cancel = async (signal: AbortSignal): Promise<void> => {
    const upTo = treeUpTo;
    treeUpTo = null;
    const receipt: Receipt = await session.cancel(
      upTo === null ? { signal } : { tree: true, upTo, signal },
    );
    lines.say(onStdout("yellow", `cancelled: ${receiptText(receipt)}`));
    if (upTo !== null) return;
    const { background, seq } = await session.get({ signal });
    if (background.length === 0) return;
    treeUpTo = receipt.mark ?? seq;
    lines.say(`Esc again stops ${background.length} in the background too`);
  };
  const outbox = createOutbox((error) => lines.say(describeError(error).line));
  const enter = (line: string): void => {
    if (line === "") return;
    const [ask] = asks;
    if (ask !== undefined && !line.startsWith("/")) return answer(...ask, line);
    const { delivery, text } = readLine(line);
    if (text === "") return lines.say("say what it shall do");
    treeUpTo = null;
    const command = delivery === "queue" ? (readSlashCommand(text) ?? undefined) : undefined;
    const words = command === undefined ? text : "";
    outbox.put(line, (signal) => session.prompt(words, { delivery, command, signal }));
  };
  const answer = (askId: string, question: Question, line: string): void => {
    const reply = question.read(line);
    if (reply === null) return lines.say("that is no answer to the question");
    outbox.put(line, (signal) => session.answer(askId, { ...reply, signal }));
  };
  const showAsk = (): void => {
    const [first] = asks.values();
    input.prompt(first?.prompt ?? "> ");
  };
  const ask = ({ askId, ...content }: OpenAsk): void => {
    const question = questionFor(content);
    asks.set(askId, question);
    lines.say(questionText(question));
    showAsk();
  };
  lines.note(dim(hint));
  showAsk();
  return {
    lines,
    ask,
    take: (item) => {
      showPrompt(item, lines);
      view.take(item);
      if (item.type === "ask.opened") {
        const { question = "", extra = null } = item.content ?? {};
        ask({ askId: item.askId, question, extra });
      }
      if (item.type === "ask.closed" && asks.delete(item.askId)) {
        lines.note(dim(`  ${closing(item)}`));
      }
      showAsk();
    },
    close: async () => {
      lines.close();
      input.close();
      if (!outbox.isEmpty()) console.log("sending what was typed; Ctrl-C leaves it");
      const { inDoubt, kept } = await outbox.close(lastWords);
      if (inDoubt !== null)
        console.log(`the server has not answered, so this may have arrived: ${inDoubt}`);
      for (const words of kept) console.log(`not sent: ${words}`);
      console.log("left; the session goes on");
    },
  };
}

function printJson(item: SessionItem): void {
  if (isEvent(item)) console.log(JSON.stringify(item));
}

/** Who has sent what, and what became of it where that is not the answer itself. */
function showPrompt(item: SessionItem, lines: Lines): void {
  if (item.type === "draining") {
    lines.note(
      onStdout("yellow", "  the server is stopping; what is unfinished goes on afterwards"),
    );
  }
  if (item.type === "prompt.accepted") {
    const { actor, delivery, content } = item;
    const { agent, text = "" } = content ?? {};
    const facts = [
      ...(delivery === "queue" ? [] : [delivery]),
      ...(agent === undefined ? [] : [`agent ${agent}`]),
    ];
    const how = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
    const who = printable(`  ${actor.id}${how}`);
    lines.note(onStdout("cyan", `› ${oneLine(text, 200)}`) + dim(who));
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

/** A line as a prompt: how it is delivered, and its words, which may be a command of the project. */
function readLine(line: string): { delivery: "queue" | "steer" | "interrupt"; text: string } {
  const command = readSlashCommand(line);
  const known = (["queue", "steer", "interrupt"] as const).find((name) => name === command?.name);
  if (command === null || known === undefined) return { delivery: "queue", text: line };
  return { delivery: known, text: command.arguments };
}
