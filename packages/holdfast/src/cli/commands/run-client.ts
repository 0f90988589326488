import { findClient, openEmbedded, openLooking } from "../../main.ts";
import type { Client, Embedded } from "../../main.ts";
import { closing, newestSession, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { watchConnection } from "../connection.ts";
import type { Lines } from "../terminal/lines.ts";

/** Where a prompt is worked on: at a server, or in this process. */
export type RunClient = (Client & { readonly url: string }) | Embedded;

export interface OpenedRun {
  readonly client: RunClient;
  /** Null: a new one. */
  readonly known: string | null;
  readonly sessionId: string;
}

/** Finds out where the prompt goes, and which session it is for. */
export async function openRun(
  input: ClientOptions & {
    readonly directory: string;
    readonly continue?: true;
    readonly session?: string;
    readonly model?: string;
    readonly patience: number;
  },
  parts: { newSessionId: string; lines: Lines; onError: (error: unknown) => void },
): Promise<OpenedRun> {
  const { newSessionId, lines, onError } = parts;
  const { directory, model = null, patience } = input;
  const watch = watchConnection({ patience, onChange: ({ words }) => lines.say(words) });
  const place = { ...placeOf(input), patience, watch };
  const newest = (client: Client): Promise<string> =>
    newestSession(client.holdfast, { directory, advice: "leave --continue out to start one" });
  const server = await findClient(place);
  if (server !== null) {
    const { url } = server;
    if (url === null) throw new Error("what was found is a server, and has an address");
    const known = input.continue === true ? await newest(server) : (input.session ?? null);
    return { client: { ...server, url }, known, sessionId: known ?? newSessionId };
  }
  const known =
    input.continue === true ? await closing(openLooking(place), newest) : (input.session ?? null);
  const sessionId = known ?? newSessionId;
  const client = await openEmbedded({ ...place, sessionId, directory, model, onError });
  return { client, known, sessionId };
}
