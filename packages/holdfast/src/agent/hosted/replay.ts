import type { PastTurn } from "./past-turns.ts";
import { continuationStart } from "./prompt-blocks.ts";
import type { Update } from "./updates.ts";

/**
 * True if the history that the agent replays ends with the prompt of the last turn, so that the agent has received it
 * (H2). Compares from the end, because an agent may shorten the beginning of its history. `turns` are all turns of the
 * agent in the session's log.
 */
export function replayHolds(replay: readonly Update[], turns: readonly PastTurn[]): boolean {
  const session = turns.at(-1)?.session;
  const sent = turns
    .filter((turn, index) => turn.session === session && !isRepeated(turns, index))
    .filter(({ mode }) => mode !== "continue")
    .map(({ text }) => linesOf(text));
  const wanted = sent.at(-1);
  if (wanted === undefined) return false;
  const words = wanted.join("");
  const earlier = new Set(sent.map((lines) => lines.join("")).filter((text) => text !== words));
  // The same text may have been sent several times in a row. Then the history must end with as many copies.
  const others = sent.findLastIndex((lines) => lines.join("") !== words);
  const wantedCopies = sent.length - 1 - others;
  let copies = 0;
  for (const message of userMessages(replay).toReversed()) {
    const text = plain(message);
    if (text.includes(plain(continuationStart))) {
      // The agent may have joined the continuation with the prompt before it.
      copies += countIn(text.slice(0, text.indexOf(plain(continuationStart))), wanted);
      continue;
    }
    // A message that equals an earlier prompt is that prompt, even if it contains the words of the last one.
    const found = earlier.has(text) ? 0 : countIn(text, wanted);
    if (found === 0) break;
    copies += found;
    if (copies >= wantedCopies) break;
  }
  return copies >= wantedCopies;
}

/** True if the turn's prompt was sent again in the next turn, because the agent had not received it. */
function isRepeated(turns: readonly PastTurn[], index: number): boolean {
  return turns[index + 1]?.mode === "resend";
}

/**
 * Counts how often the lines occur in the text, in this order. Agents add text around a prompt, and attachments appear
 * between its lines. A prompt without text occurs in every message.
 */
function countIn(text: string, lines: readonly string[]): number {
  if (lines.length === 0) return text === "" ? 0 : 1;
  let count = 0;
  for (let from = 0; ; count += 1) {
    for (const line of lines) {
      const found = text.indexOf(line, from);
      if (found === -1) return count;
      from = found + line.length;
    }
  }
}

/** Joins the chunks of each replayed user message. */
function userMessages(replay: readonly Update[]): readonly string[] {
  const messages: string[] = [];
  let isOpen = false;
  for (const update of replay) {
    if (update.type !== "user") isOpen = false;
    else if (isOpen) messages[messages.length - 1] += update.text;
    else {
      messages.push(update.text);
      isOpen = true;
    }
  }
  return messages;
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map(plain)
    .filter((line) => line !== "");
}

/** Removes white space, which agents change when they store a prompt. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
