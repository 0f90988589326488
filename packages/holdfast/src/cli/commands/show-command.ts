import { openClient } from "../../compose/client.ts";
import { addedText } from "@holdfast/model/added-text.ts";
import { isEvent } from "@holdfast/sdk";
import type { Message, SessionHandle, WireEvent } from "@holdfast/sdk";
import { createCallBook } from "../terminal/calls.ts";
import type { CallBook } from "../terminal/calls.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { chooseSession, expectSession, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { usageText } from "./print-outcome.ts";
import { oneLine, printable } from "../terminal/printable.ts";
import { statusText } from "./session-status.ts";
import { onStdout } from "../terminal/style.ts";
import { timeText } from "../terminal/time.ts";
import { shortId } from "../ids.ts";

/** `holdfast show`: prints the conversation of a session with all tool results. */
export async function showSession(
  options: ClientOptions & { readonly session?: string; readonly json?: true },
): Promise<ExitCode> {
  const { store } = options;
  await using client = await openClient(placeOf(options), "look");
  const { holdfast, url } = client;
  const session = await chooseSession(holdfast, options.session);
  const detail = await expectSession(session, { url, store });
  if (options.json === true) {
    for await (const event of logOf(session)) console.log(JSON.stringify(event));
    return exitCodes.ok;
  }
  console.log(`${onStdout("bold", shortId(detail.sessionId))}  ${statusText(detail)}`);
  if (detail.title !== null) console.log(printable(detail.title));
  console.log(`in ${detail.directory}${usageText(detail.usage)}`);
  if (detail.agent !== null) console.log(`agent ${printable(detail.agent)}`);
  await printConversation(session);
  return exitCodes.ok;
}

async function printConversation(session: SessionHandle): Promise<void> {
  const book = createCallBook();
  const waiting: Waiting = new Map();
  let answer = "";
  for await (const event of logOf(session)) {
    if (event.type === "session.created" && event.origin !== null) await printInherited(session);
    print(event, { book, waiting });
    if (event.type === "step.answered") answer = event.content?.text ?? "";
    if (event.type === "run.ended") {
      const note = addedText(answer, event.content?.text ?? "");
      if (note !== "") console.log(onStdout("yellow", `  ! ${printable(note)}`));
    }
  }
  for (const text of waiting.values()) console.log(`${text}\n${onStdout("yellow", "  queued")}`);
}

/** Yields all events that are in the log now, with their full content. */
async function* logOf(session: SessionHandle): AsyncGenerator<WireEvent> {
  for await (const item of session.events({ follow: false, deltas: false })) {
    if (isEvent(item)) yield item.truncated ? await session.event(item.seq) : item;
  }
}

/** Prints the messages with which a forked or imported session started. They come before the log. */
async function printInherited(session: SessionHandle): Promise<void> {
  const book = createCallBook();
  for await (const message of session.eachMessage()) {
    if (message.seq !== null) break;
    printMessage(message, book);
  }
  console.log(onStdout("dim", "\n⋯ messages above are from another session"));
}

function printMessage(message: Message, book: CallBook): void {
  switch (message.role) {
    case "user":
      console.log(`\n${promptHead(message, message.at)}\n${printable(message.text)}`);
      break;
    case "assistant":
      if (message.text !== "") console.log(`\n${printable(message.text)}`);
      book.asked(message.calls);
      break;
    case "tool":
      console.log(`  ${book.ended({ ...message, content: message })}`);
      break;
  }
}

/**
 * Texts of prompts that are not part of the conversation yet, by id. Each is printed at the point where it is added
 * to the conversation.
 */
type Waiting = Map<string, string>;

function enter(promptId: string, waiting: Waiting): void {
  const text = waiting.get(promptId);
  if (text !== undefined) console.log(text);
  waiting.delete(promptId);
}

function print(event: WireEvent, state: { book: CallBook; waiting: Waiting }): void {
  const { book, waiting } = state;
  if (event.type === "prompt.accepted" || event.type === "prompt.edited") {
    const reply = event.type === "prompt.edited" || event.reply;
    const { text = "", attachments = [], ...named } = event.content ?? {};
    const names = attachments.map(({ name, mediaType }) => `\n  with ${name ?? mediaType}`);
    const head = promptHead({ promptId: event.promptId, reply, ...named }, event.at);
    waiting.set(event.promptId, `\n${head}\n${printable(text)}${printable(names.join(""))}`);
  }
  if (event.type === "run.started" || event.type === "prompt.takenIn")
    enter(event.promptId, waiting);
  if (event.type === "prompt.settled") enter(event.promptId, waiting);
  if (event.type === "step.answered") {
    const { text = "", calls = [], summary = false } = event.content ?? {};
    const cut = event.interrupted ? onStdout("yellow", " [stopped here]") : "";
    if (summary) console.log(onStdout("dim", "⋯ the conversation so far was summarised"));
    else if (text !== "" || cut !== "") console.log(`\n${printable(text)}${cut}`);
    book.asked(calls);
  }
  if (event.type === "tool.started") book.take(event);
  if (event.type === "tool.ended") console.log(`  ${book.ended(event)}`);
  if (event.type === "run.started" || event.type === "run.resumed") {
    for (const title of event.without ?? []) {
      console.log(onStdout("yellow", `  ! without ${oneLine(title, 100)}: not available`));
    }
  }
  if (event.type === "run.resumed") {
    console.log(onStdout("yellow", `  ↻ cut off; continued by attempt ${event.attempt}`));
  }
  if (event.type === "prompt.settled" && event.outcome.status !== "completed") {
    const { status, reason } = event.outcome;
    const why = reason === null ? "" : ` (${reason})`;
    const text = status === "failed" ? (event.content?.text ?? "") : "";
    const message = text === "" ? "" : `: ${printable(text)}`;
    console.log(onStdout("red", `  ${shortId(event.promptId)} ${status}${why}${message}`));
  }
}

type Head = Pick<
  Extract<Message, { role: "user" }>,
  "promptId" | "reply" | "agent" | "model" | "command"
>;

function promptHead({ promptId, reply, agent, model, command }: Head, at: number): string {
  const time = timeText(at);
  const facts = [
    ...(reply ? [] : ["no reply wanted"]),
    ...(command === undefined ? [] : [`/${command.name}`]),
    ...(agent === undefined ? [] : [`agent ${agent}`]),
    ...(model === undefined ? [] : [model]),
  ];
  const rest = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
  return onStdout("cyan", printable(`> ${shortId(promptId)}, ${time}${rest}`));
}
