import type { Holdfast, SessionHandle } from "@holdfast/sdk";
import { CliError, exitCodes } from "./cli-error.ts";

/** An id that Holdfast has generated, such as session-4f2a…. */
const generated = /^[a-z]+-([0-9a-f][0-9a-f-]{22,})$/;

/** Returns the short form of a generated id for people. Commands accept it, and any other unique prefix. */
export function shortId(id: string): string {
  return generated.exec(id)?.[1]?.slice(0, 8) ?? id;
}

/** True if the text is a complete generated id. */
export function isWholeId(text: string): boolean {
  return generated.test(text);
}

/** True if the id starts with the text. A kind such as `session-` at the start of the id may be left out. */
function isStart(text: string, id: string): boolean {
  return id.startsWith(text) || (generated.exec(id)?.[1]?.startsWith(text) ?? false);
}

/** Completes the start of a session id. Returns the text as it is if no session matches. */
export async function findSession(holdfast: Holdfast, text: string): Promise<string> {
  if (generated.test(text) || (await exists(() => holdfast.session(text).get()))) return text;
  const found: string[] = [];
  for await (const { sessionId } of holdfast.sessions.each({ search: text, limit: 100 })) {
    if (isStart(text, sessionId)) found.push(sessionId);
    if (found.length > shown) break;
  }
  return only(found, { text, kind: "session" });
}

/** Completes the start of a prompt id. Returns the text as it is if no prompt matches. */
export async function findPrompt(session: SessionHandle, text: string): Promise<string> {
  if (generated.test(text) || (await exists(() => session.promptById(text).get()))) return text;
  const found: string[] = [];
  for await (const { promptId } of session.eachPrompt()) {
    if (isStart(text, promptId)) found.push(promptId);
  }
  return only(found, { text, kind: "prompt" });
}

/** Completes the start of the id of a reload or close. Returns the text as it is if no recent id matches. */
export async function findAction({ maintenance }: Holdfast, text: string): Promise<string> {
  if (generated.test(text)) return text;
  const { items } = await maintenance.list({ limit: 100 });
  return findIn(
    items.map(({ actionId }) => actionId),
    { text, kind: "action" },
  );
}

/** Completes the start of an id from a list. Returns the text as it is if no id matches. */
export function findIn(
  ids: readonly string[],
  { text, kind }: { text: string; kind: string },
): string {
  if (ids.includes(text)) return text;
  return only(
    ids.filter((id) => isStart(text, id)),
    { text, kind },
  );
}

async function exists(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    const { Refused } = await import("@holdfast/sdk");
    if (error instanceof Refused && unknown.has(error.code)) return false;
    throw error;
  }
}

const unknown: ReadonlySet<string> = new Set(["unknownSession", "unknownPrompt"]);
/** Number of matches in the message about an ambiguous id. */
const shown = 5;

function only(found: readonly string[], { text, kind }: { text: string; kind: string }): string {
  if (found.length < 2) return found[0] ?? text;
  const list = found.slice(0, shown).map(shortId).join(", ");
  const more = found.length > shown ? " and more" : "";
  const problem = `${text} is the start of several ${kind} ids: ${list}${more}`;
  throw new CliError("ambiguousId", `${problem}; write more characters of the id`, exitCodes.usage);
}
