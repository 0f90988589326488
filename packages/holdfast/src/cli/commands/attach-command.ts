import { isEvent } from "@holdfast/sdk";
import type { Ask, SessionHandle, SessionItem } from "@holdfast/sdk";
import { chooseSession, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { exitCodes } from "../cli-error.ts";
import { watchConnection } from "../connection.ts";
import type { ConnectionChange } from "../connection.ts";
import { createLines } from "../terminal/lines.ts";
import type { Lines } from "../terminal/lines.ts";
import { openClient } from "../../compose/client.ts";
import { onOutputGone } from "../terminal/output-gone.ts";
import { oneLine, printable } from "../terminal/printable.ts";
import { questionFor } from "../terminal/question.ts";
import type { Question } from "../terminal/question.ts";
import { onStdout } from "../terminal/style.ts";
import { createTextView } from "../terminal/view.ts";
import { shortId } from "../ids.ts";

export type AttachInput = ClientOptions & {
  readonly session?: string;
  readonly tail: number;
  readonly json?: true;
  /** Print plain lines for a screen reader. */
  readonly screenReader?: true;
};

/**
 * `holdfast attach`: follows a session. Several clients can follow it at once, and it keeps running after the command
 * ends.
 */
export async function attach(input: AttachInput): Promise<number> {
  if (input.json !== true && process.stdin.isTTY && process.stdout.isTTY) {
    return attachTerminal(input);
  }
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
  const screen = openView(session, input.json === true);
  ready.screen = screen;
  process.once("SIGINT", leave);
  if (input.json !== true) {
    const words = oneLine(`${title ?? ""}  in ${directory}`, 200);
    screen.lines.note(dim(`${shortId(session.sessionId)}  ${words}`));
  }
  const after = Math.max(0, seq - input.tail);
  const { signal } = leaving;
  try {
    const older = await openAsks(session, signal);
    for await (const item of session.events({ after, signal })) {
      screen.take(item);
      if (item.type === "ask.opened" || item.type === "ask.closed") older.delete(item.askId);
      if (item.type !== "live") continue;
      // Show asks that were opened before the first printed event and are still open.
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

/** Opens the session in the terminal client. Used if the command runs at a terminal. */
async function attachTerminal(input: AttachInput): Promise<number> {
  const { openTerminal } = await import("./terminal-command.ts");
  const found = async (): Promise<string> => {
    await using client = await openClient({ ...placeOf(input), patience }, "server");
    const session = await chooseSession(client.holdfast, input.session);
    await session.get();
    return session.sessionId;
  };
  const { screenReader = false } = input;
  const start = { kind: "session", sessionId: await found() } as const;
  return openTerminal({ start, options: input, screenReader });
}

/** Prints the events of a session. */
interface AttachView {
  readonly lines: Lines;
  take(item: SessionItem): void;
  /** Shows an ask that was open before the view was opened. */
  ask(ask: OpenAsk): void;
  close(): Promise<void>;
}

type OpenAsk = Pick<Ask, "askId" | "question" | "extra">;

async function openAsks(session: SessionHandle, signal: AbortSignal): Promise<Map<string, Ask>> {
  const asks = new Map<string, Ask>();
  for await (const ask of session.eachAsk({ open: true, signal })) asks.set(ask.askId, ask);
  return asks;
}

/** Opens the view for JSON output, and for text that goes to a file or a pipe. */
function openView({ sessionId }: SessionHandle, isJson: boolean): AttachView {
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
    const words = `${shortId(item.promptId)} ${status}${why}${text === "" ? "" : `: ${oneLine(text, 200)}`}`;
    lines.note(onStdout(status === "failed" ? "red" : "yellow", `  ${words}`));
  }
}

function dim(text: string): string {
  return onStdout("dim", text);
}
