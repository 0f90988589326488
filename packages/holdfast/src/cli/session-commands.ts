import type { SessionHandle } from "@holdfast/sdk";
import { exitCodes } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";
import { placeWords, withClient } from "./client-options.ts";
import type { ClientOptions } from "./client-options.ts";
import { confirm } from "./confirm.ts";
import { expectSession } from "./expect-session.ts";
import { oneLine } from "./printable.ts";

export type SessionOptions = ClientOptions & { readonly session: string };

export function renameSession(
  options: SessionOptions & { readonly title: string },
): Promise<ExitCode> {
  return onSession(options, async (session) => {
    const { title } = await session.rename(options.title);
    console.log(`${session.sessionId} is called “${oneLine(title ?? "", 200)}”`);
  });
}

/** A label: nothing stops, and the next prompt takes it off. */
export function archiveSession(options: SessionOptions): Promise<ExitCode> {
  return onSession(options, async (session) => {
    await session.archive();
    console.log(`${session.sessionId} is archived; \`holdfast sessions --archived\` lists it`);
  });
}

export function unarchiveSession(options: SessionOptions): Promise<ExitCode> {
  return onSession(options, async (session) => {
    await session.unarchive();
    console.log(`${session.sessionId} is among the others again`);
  });
}

export async function deleteSession(
  options: SessionOptions & { readonly yes?: true },
): Promise<ExitCode> {
  return onSession(options, async (session) => {
    const question = `Delete ${session.sessionId}, and cancel what it does and has waiting?`;
    if (options.yes !== true && !(await confirm(question))) return exitCodes.failure;
    await session.delete();
    console.log(`${session.sessionId} is deleted`);
    return exitCodes.ok;
  });
}

export function forkSession(
  options: SessionOptions & { readonly at?: number; readonly newId?: string },
): Promise<ExitCode> {
  return onSession(options, async (session) => {
    const { at, newId: sessionId } = options;
    const forked = await session.fork({ at, sessionId });
    console.log(`session ${forked.sessionId} (new)`);
    const place = placeWords(options);
    console.log(`continue with: holdfast run${place} --session ${forked.sessionId} "..."`);
  });
}

async function onSession(
  options: SessionOptions,
  work: (session: SessionHandle) => Promise<ExitCode | void>,
): Promise<ExitCode> {
  return withClient(options, async ({ holdfast, url }) => {
    const session = holdfast.session(options.session);
    await expectSession(session, { url, store: options.store });
    return (await work(session)) ?? exitCodes.ok;
  });
}
