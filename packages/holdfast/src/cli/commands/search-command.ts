import type { SearchHit, TextKind } from "@holdfast/sdk";
import { openClient } from "../../compose/client.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { folderOf, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { findSession, shortId } from "../ids.ts";
import { age } from "../terminal/age.ts";
import { oneLine, printable } from "../terminal/printable.ts";
import { onStdout } from "../terminal/style.ts";

export interface SearchOptions extends ClientOptions {
  readonly words: readonly string[];
  readonly session?: string;
  readonly directory?: string;
  readonly kind?: readonly TextKind[];
  readonly archived?: true;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
  readonly json?: true;
}

/** `holdfast search`: prints the texts that contain all words, newest first. */
export async function searchTexts(options: SearchOptions): Promise<ExitCode> {
  const { words, session, kind, archived, since, until, limit, json = false } = options;
  await using client = await openClient(placeOf(options), "look");
  const { holdfast } = client;
  const directory =
    options.directory === undefined ? undefined : folderOf(options, options.directory);
  const query = {
    q: words.join(" "),
    session: session === undefined ? undefined : await findSession(holdfast, session),
    directory,
    kind,
    archived,
    since,
    until,
  };
  let count = 0;
  let after: string | undefined;
  do {
    const page = await holdfast.search({ ...query, after, limit: Math.min(limit - count, 100) });
    for (const hit of page.items) console.log(json ? JSON.stringify(hit) : lineOf(hit));
    count += page.items.length;
    after = page.cursor ?? undefined;
    if (!page.isComplete && after === undefined) console.error(incomplete);
  } while (after !== undefined && count < limit);
  if (count === 0 && !json) console.log("No text matches.");
  if (after !== undefined && !json) console.log("more texts match; use --limit to print more");
  return exitCodes.ok;
}

const incomplete = "The search index is not complete yet, so the newest texts may be missing.";

const kindNames: Readonly<Record<TextKind, string>> = {
  title: "title",
  prompt: "prompt",
  answer: "answer",
  toolCall: "tool call",
  toolResult: "tool result",
};

function lineOf({ sessionId, title, kind, at, snippet }: SearchHit): string {
  const head = [
    onStdout("bold", shortId(sessionId)),
    kindNames[kind],
    age(Date.now() - at),
    oneLine(title ?? "", 80),
  ];
  const text = snippet
    .map(({ text, isMatch }) => (isMatch ? onStdout("yellow", printable(text)) : printable(text)))
    .join("");
  return `${head.filter((part) => part !== "").join("  ")}\n    ${text}`;
}
