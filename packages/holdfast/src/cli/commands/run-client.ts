import { existsSync } from "node:fs";
import { Refused } from "@holdfast/sdk";
import type { SessionDetail } from "@holdfast/sdk";
import { openClient } from "../../compose/client.ts";
import type { Clients } from "../../compose/client.ts";
import { CliError } from "../cli-error.ts";
import { expectSession, isElsewhere, newestSession, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { watchConnection } from "../connection.ts";
import { resolveSession } from "../resolve-session.ts";
import type { Lines } from "../terminal/lines.ts";

/** A client of a server, or a client with a runtime in this process. */
export type RunClient = Clients["work"];

export interface OpenedRun {
  readonly client: RunClient;
  /** Id of an existing session. Null: create a new session. */
  readonly known: string | null;
  readonly sessionId: string;
}

/** Opens the client for a prompt and chooses its session. */
export async function openRun(
  input: ClientOptions & {
    readonly directory: string;
    readonly continue?: true;
    readonly session?: string;
    readonly model?: string;
    readonly patience: number;
  },
  options: { newSessionId: string; lines: Lines; onError: (error: unknown) => void },
): Promise<OpenedRun> {
  const { newSessionId, lines, onError } = options;
  const { directory, model = null, patience } = input;
  const watch = watchConnection({ patience, onChange: ({ words }) => lines.say(words) });
  const place = { ...placeOf(input), patience, watch };
  const known = await namedSession(input, place);
  const sessionId = known ?? newSessionId;
  const client = await openClient({ ...place, sessionId, directory, model, onError }, "work");
  return { client, known, sessionId };
}

async function namedSession(
  { continue: isContinued, session, directory, ...options }: Parameters<typeof openRun>[0],
  place: Parameters<typeof openClient<"look">>[0],
): Promise<string | null> {
  if (isContinued === true) return newestAt(place, directory);
  return session === undefined ? null : resolveSession(options, session);
}

async function newestAt(
  place: Parameters<typeof openClient<"look">>[0],
  directory: string,
): Promise<string> {
  await using client = await openClient(place, "look");
  const advice = "omit --continue to start one";
  return await newestSession(client.holdfast, { directory, advice });
}

/** Creates a session. An agent that the user named becomes the agent of the session, so that `--continue` keeps it. */
export async function createSession(
  { client, sessionId }: OpenedRun,
  { directory, agent }: { directory: string; agent: string | null },
): Promise<SessionDetail> {
  const named = agent === null ? {} : { agent };
  const session = await client.holdfast.sessions.create({ sessionId, directory, ...named });
  return session.get();
}

export async function knownSession(
  { client, sessionId }: OpenedRun,
  { store }: Pick<ClientOptions, "store">,
): Promise<SessionDetail> {
  const advice = "omit --session to start a new one";
  const session = client.holdfast.session(sessionId);
  const detail = await expectSession(session, { url: client.url, store, advice });
  if (client.url !== null || existsSync(detail.directory)) return detail;
  const problem = `the directory of the session, ${detail.directory}, no longer exists`;
  throw new CliError("directory", `${problem}; restore it, or start a new session`);
}

/**
 * Offers the session the model providers in this command's environment. A local server that another terminal has
 * started does not know them.
 */
export async function offerProviders(
  client: RunClient,
  options: ClientOptions & { sessionId: string },
): Promise<void> {
  if (client.url === null || isElsewhere(options)) return;
  const { providersOf } = await import("../../agent/model/known-providers.ts");
  // Leave out cloud platforms: they use credentials of the machine, which a local server can read itself.
  const providers = providersOf(process.env)
    .filter(({ baseUrl }) => baseUrl !== "")
    .map(({ name, key, bearer, baseUrl }) => ({ name, key, bearer, baseUrl }));
  if (providers.length === 0) return;
  try {
    await client.holdfast.providers.offer(options.sessionId, { providers });
  } catch (error) {
    // Ignore this refusal: a token with a lower role may send prompts, but may not give a session its own model
    // providers.
    if (!(error instanceof Refused) || error.code !== "forbidden") throw error;
  }
}
