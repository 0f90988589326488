import type { Session } from "@holdfast/sdk";
import { holdfast } from "./client.ts";

const firstPage = 100;
const pageSize = 500;
/** Work that has rested for so long that so many others did something since is not looked for. */
const farthest = 5_000;

/** The server's sessions, latest activity first: more and more of them, down to where work may be. */
export async function* listSessions(signal: AbortSignal): AsyncGenerator<readonly Session[]> {
  let listed: readonly Session[] = [];
  let after: string | null = null;
  do {
    const limit = after === null ? firstPage : pageSize;
    const page = await holdfast.sessions.list({ limit, signal, ...(after !== null && { after }) });
    listed = [...listed, ...page.items];
    yield listed;
    after = page.cursor;
  } while (after !== null && listed.length < farthest);
}
