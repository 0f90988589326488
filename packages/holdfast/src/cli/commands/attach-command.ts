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

/**
 * `holdfast attach`: follows a session. Several clients can follow it at once, and it keeps running after the command
 * ends.
 */
export async function attach(input: AttachInput): Promise<ExitCode> {
  const ready: { screen: AttachView | null } = { screen: null };
  const onChange = ({ words }: ConnectionChange): void => ready.screen?.lines.say(words);
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
  const screen = isTyped
    ? openInteractive(session, leave)
    : openReadOnly(session, input.json === true);
  ready.screen = screen;
  if (!isTyped) process.once("SIGINT", leave);
  if (input.json !== true) {
    const words = oneLine(`${title ?? ""}  in ${directory}`, 200);
    screen.lines.note(dim(`${session.sessionId}  ${words}`));
  }
  const after = Math.max(0, seq - input.tail);
  const { signal } = leaving;
  try {
    const older = await openAsks(session, signal);
    for await (const item of session.events({ after, signal })) {
      screen.take(item);
      if (item.type === "ask.opened" || item.type === "ask.closed") older.delete(item.askId);
      if (item.type !== "live") continue;
      // Show asks that were opened before the first shown event and are still open.
      for (const ask of older.values()) screen.ask(ask);
      older.clear();
    }
    return exitCodes.ok;
  } catch (error) {
    if (signal.aborted) return exitCodes.ok;
    throw error;
  } finally {
    await screen.close();
    process.off("SIGTERM", leave);
    process.off("SIGHUP", leave);
    process.off("SIGINT", leave);
  }
}

/** Milliseconds to wait for a server that is unreachable. */
const patience = 60_000;

/** Timeout in milliseconds for sending the lines that the user typed before quitting. */
const lastWords = 5_000;

/** Shows a session, with or without an input line. */
interface AttachView {
  readonly lines: Lines;
  take(item: SessionItem): void;
  /** Shows an ask that was already open. */
  ask(ask: OpenAsk): void;
  close(): Promise<void>;
}

type OpenAsk = Pick<Ask, "askId" | "question" | "extra">;

async function openAsks(session: SessionHandle, signal: AbortSignal): Promise<Map<string, Ask>> {
  const asks = new Map<string, Ask>();
  for await (const ask of session.eachAsk({ open: true, signal })) asks.set(ask.askId, ask);
  return asks;
}

/** Read-only view: for a file, a pipe or JSON output. */
function openReadOnly({ sessionId }: SessionHandle, isJson: boolean): AttachView {
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
  "Enter queues a prompt, /steer and /interrupt send it at once, /name runs a command, Esc cancels, Ctrl-D quits";

/** Interactive view with an input line: prompts, answers to asks, and Esc to cancel. */
function openInteractive(session: SessionHandle, leave: () => void): AttachView {
  const asks = new Map<string, Question>();
  const input = openInputLine({
    onLine: (line) => enter(line),
    onEscape: () => outbox.put("the cancel", cancel),
    onLeave: leave,
  });
  const lines = createAttachLines(input);
  const view = createTextView({ sessionId: session.sessionId, lines });
  /** Number of the last event that the offered cancel of the whole tree covers. Later prompts are not affected. */
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
    lines.say(`press Esc again to stop ${background.length} in the background too`);
  };
  const outbox = createOutbox((error) => lines.say(describeError(error).line));
  const enter = (line: string): void => {
    if (line === "") return;
    const [ask] = asks;
    if (ask !== undefined && !line.startsWith("/")) return answer(...ask, line);
    const { delivery, text } = readLine(line);
    if (text === "") return lines.say("type a prompt first");
    treeUpTo = null;
    const command = delivery === "queue" ? (readSlashCommand(text) ?? undefined) : undefined;
    const words = command === undefined ? text : "";
    outbox.put(line, (signal) => session.prompt(words, { delivery, command, signal }));
  };
  const answer = (askId: string, question: Question, line: string): void => {
    const reply = question.read(line);
    if (reply === null) return lines.say("this does not answer the question; try again");
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
      if (!outbox.isEmpty()) console.log("sending typed lines; press Ctrl-C to discard them");
      const { inDoubt, kept } = await outbox.close(lastWords);
      if (inDoubt !== null)
        console.log(`the server did not respond, so this may have been sent: ${inDoubt}`);
      for (const words of kept) console.log(`not sent: ${words}`);
      console.log("detached; the session keeps running");
    },
  };
}

function printJson(item: SessionItem): void {
  if (isEvent(item)) console.log(JSON.stringify(item));
}

/** Shows who sent a prompt, and its outcome if it did not complete. */
function showPrompt(item: SessionItem, lines: Lines): void {
  if (item.type === "draining") {
    lines.note(
      onStdout(
        "yellow",
        "  the server is stopping; unfinished prompts continue after its next start",
      ),
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
  return resolution.kind === "expired" ? "the question has expired" : "the question was withdrawn";
}

/** Parses a typed line: the delivery and the text, which may be a slash command. */
function readLine(line: string): { delivery: "queue" | "steer" | "interrupt"; text: string } {
  const command = readSlashCommand(line);
  const known = (["queue", "steer", "interrupt"] as const).find((name) => name === command?.name);
  if (command === null || known === undefined) return { delivery: "queue", text: line };
  return { delivery: known, text: command.arguments };
}
