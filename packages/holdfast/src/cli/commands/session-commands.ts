import { openClient } from "../../compose/client.ts";
import type { SessionHandle } from "@holdfast/sdk";
import { CliError, exitCodes, printResult } from "../cli-error.ts";
import type { ExitCode, JsonOption } from "../cli-error.ts";
import { chooseSession, expectSession, placeOf, placeWords } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { shortId } from "../ids.ts";
import { oneLine } from "../terminal/printable.ts";
import { confirm } from "../terminal/person.ts";

export type SessionOptions = ClientOptions & JsonOption & { readonly session?: string };

export function renameSession(
  options: SessionOptions & { readonly title: string },
): Promise<ExitCode> {
  return onSession(options, async (session) => {
    const detail = await session.rename(options.title);
    printResult(
      options,
      detail,
      `session ${shortId(detail.sessionId)} was renamed to “${oneLine(detail.title ?? "", 200)}”`,
    );
  });
}

/** Archives a session. This only hides it: no run stops, and the next prompt makes it visible again. */
export function archiveSession(options: SessionOptions): Promise<ExitCode> {
  return onSession(options, async (session) => {
    const words = `session ${shortId(session.sessionId)} was archived; \`holdfast sessions --archived\` lists it`;
    printResult(options, await session.archive(), words);
  });
}

export function unarchiveSession(options: SessionOptions): Promise<ExitCode> {
  return onSession(options, async (session) => {
    printResult(
      options,
      await session.unarchive(),
      `session ${shortId(session.sessionId)} was unarchived`,
    );
  });
}

export async function deleteSession(
  options: SessionOptions & { readonly yes?: true },
): Promise<ExitCode> {
  if (options.yes === true && options.session === undefined) {
    const problem = "--yes deletes without confirmation, so it needs a session id";
    const advice = "find the id with `holdfast sessions`";
    throw new CliError("usage", `${problem}; ${advice}`, exitCodes.usage);
  }
  return onSession(options, async (session) => {
    const { title } = await session.get();
    const named = title === null ? "" : ` “${oneLine(title, 60)}”`;
    const question = `Delete session ${shortId(session.sessionId)}${named} and cancel its running and waiting prompts?`;
    if (options.yes !== true && !(await confirm(question))) return exitCodes.failure;
    await session.delete();
    const { sessionId } = session;
    printResult(
      options,
      { sessionId, status: "deleted" },
      `session ${shortId(sessionId)} was deleted`,
    );
    return exitCodes.ok;
  });
}

export function forkSession(
  options: SessionOptions & { readonly at?: number; readonly newId?: string },
): Promise<ExitCode> {
  return onSession(options, async (session) => {
    const { at, newId: sessionId } = options;
    const forked = await session.fork({ at, sessionId });
    if (options.json === true) {
      console.log(JSON.stringify(await forked.get()));
      return;
    }
    console.log(`session ${shortId(forked.sessionId)} (new)`);
    const place = placeWords(options);
    console.log(`continue with: holdfast run${place} --session ${shortId(forked.sessionId)} "..."`);
  });
}

async function onSession(
  options: SessionOptions,
  work: (session: SessionHandle) => Promise<ExitCode | void>,
): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "change");
  const { holdfast, url } = client;
  const session = await chooseSession(holdfast, options.session);
  await expectSession(session, { url, store: options.store });
  return (await work(session)) ?? exitCodes.ok;
}
