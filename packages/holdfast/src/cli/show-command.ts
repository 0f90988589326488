import { logOf, openReader } from "../main.ts";
import type { AnswerBody, LaneEvent, StoreReader } from "../main.ts";
import { readBodyAs, readContent, readText } from "./body-text.ts";
import { createCallBook } from "./calls.ts";
import type { CallBook } from "./calls.ts";
import { exitCodes } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";
import { expectSession } from "./expect-session.ts";
import { usageText } from "./conclude.ts";
import { laneStatus } from "./lane-status.ts";
import { printable } from "./printable.ts";
import { onStdout } from "./style.ts";
import { isSummary } from "./view.ts";

/** `holdfast show`: a session's conversation, with what became of everything in it. */
export async function showSession(options: {
  store: string;
  session: string;
  json?: true;
}): Promise<ExitCode> {
  const { store, session } = options;
  const reader = await openReader(store);
  try {
    const lane = await expectSession(reader, { sessionId: session, store });
    const book = createCallBook(reader);
    const waiting: Waiting = new Map();
    if (options.json !== true) {
      console.log(`${onStdout("bold", session)}  ${laneStatus(lane)}`);
      console.log(`in ${lane.directory}${usageText(lane.usage)}`);
    }
    for await (const event of logOf(reader, session)) {
      if (options.json === true) {
        const content = await readContent(reader, event);
        console.log(JSON.stringify(content === null ? event : { ...event, content }));
      } else await print(event, { reader, book, waiting });
    }
    for (const text of waiting.values()) console.log(`${text}\n${onStdout("yellow", "  queued")}`);
    return exitCodes.ok;
  } finally {
    await reader.close();
  }
}

/** Prompts that are not in the conversation yet, by id. They are shown where they enter it. */
type Waiting = Map<string, string>;

function enter(promptId: string, waiting: Waiting): void {
  const text = waiting.get(promptId);
  if (text !== undefined) console.log(text);
  waiting.delete(promptId);
}

async function print(
  event: LaneEvent,
  parts: { reader: StoreReader; book: CallBook; waiting: Waiting },
): Promise<void> {
  const { reader, book, waiting } = parts;
  if (event.type === "prompt.accepted" || event.type === "prompt.edited") {
    const { promptId, at } = event;
    const isMessage = event.type === "prompt.accepted" && !event.reply;
    const head = `> ${promptId}, ${time(at)}${isMessage ? " (a message)" : ""}`;
    const text = printable(await readText(reader, event.body));
    waiting.set(promptId, `\n${onStdout("cyan", head)}\n${text}`);
  }
  if (event.type === "run.started" || event.type === "prompt.takenIn")
    enter(event.promptId, waiting);
  if (event.type === "prompt.settled") enter(event.promptId, waiting);
  if (event.type === "step.answered") {
    const body = await readBodyAs<AnswerBody>(reader, event.body);
    const { text = "", calls = [], extra = null } = body ?? {};
    const cut = event.interrupted ? onStdout("yellow", " [stopped here]") : "";
    if (isSummary(extra)) console.log(onStdout("dim", "⋯ the conversation so far was summarised"));
    else if (text !== "" || cut !== "") console.log(`\n${printable(text)}${cut}`);
    book.asked(calls);
  }
  if (event.type === "tool.started") await book.started(event);
  if (event.type === "tool.ended") console.log(`  ${await book.ended(event)}`);
  if (event.type === "run.resumed") {
    console.log(onStdout("yellow", `  ↻ cut off; attempt ${event.attempt} went on with it`));
  }
  if (event.type === "prompt.settled" && event.outcome.status !== "completed") {
    const { status, reason, result } = event.outcome;
    const why = reason === null ? "" : ` (${reason})`;
    const text = status === "failed" ? await readText(reader, result) : "";
    const message = text === "" ? "" : `: ${printable(text)}`;
    console.log(onStdout("red", `  ${event.promptId} ${status}${why}${message}`));
  }
}

function time(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
