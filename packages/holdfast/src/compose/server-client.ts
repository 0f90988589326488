import type { Holdfast } from "@holdfast/sdk";
import { discoveryFiles, findServer, tokenFileFor } from "../server/discovery.ts";
import type { FoundServer } from "../server/discovery.ts";
import { programVersion } from "../base/package.ts";
import { SetupError } from "../server/setup-error.ts";
import { readTokenFile } from "../server/security/token-file.ts";
import type { Client } from "./client.ts";
import { sendToFound } from "./found-server.ts";
import type { Send } from "./found-server.ts";
import { hasEndedStopping } from "./stopping-server.ts";
import { dataFolder } from "./stores.ts";

export interface ServerClient extends Client {
  readonly url: string;
}

export interface ServerPlace {
  readonly store: string;
  /** The URL of a server to use instead of the store's own. */
  readonly server?: string | undefined;
  /** True: do the work in this process, without a server. */
  readonly embedded?: boolean | undefined;
  /** Milliseconds to wait for a server that does not answer. */
  readonly patience?: number | undefined;
  /** Wraps the function that sends requests, to observe whether the server answers. */
  readonly watch?: ((send: Send) => Send) | undefined;
  /** False: when the server has ended, do not use a later server on the same store. */
  readonly isFollowed?: boolean | undefined;
  /** Called with a message for people, such as that the server has another version. */
  readonly note?: ((text: string) => void) | undefined;
  /** Name of this program for the server; `cli` by default. */
  readonly client?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
}

export function noServer(): SetupError {
  const advice = "start one with `holdfast run` or `holdfast serve`, or name one with --server";
  return new SetupError("noServer", `no server is running on this database; ${advice}`);
}

/** Connects to the named server, or to the server that announced itself for the store; null if there is no server. */
export async function findServerClient(place: ServerPlace): Promise<ServerClient | null> {
  // Without `note`, because short commands print nothing about the version of the server.
  const named = await namedServer({ ...place, note: undefined });
  if (named !== null) return named;
  const found = await findAnnounced(place);
  return found === null ? null : announced(place, { ...found, restart: null });
}

/**
 * Connects like `findServerClient`. Starts the store's server in the background if there is none, or if it
 * crashes later.
 */
export async function joinServer(place: ServerPlace): Promise<ServerClient> {
  const named = await namedServer(place);
  if (named !== null) return named;
  const find = (): Promise<Announced | null> => findAnnounced(place);
  const restart = async (): Promise<Announced> => {
    const { startInBackground } = await import("./background-server.ts");
    return startInBackground(place, find);
  };
  const running = await find();
  const isOver = running !== null && (await hasEndedStopping(running.server, place));
  const found = running === null || isOver ? await restart() : running;
  return announced(place, { ...(await inOwnVersion(place, found, restart)), restart });
}

/** If the server is an idle background server of an older version, replaces it. */
async function inOwnVersion(
  place: ServerPlace,
  found: Announced,
  restart: () => Promise<Announced>,
): Promise<Announced> {
  const { server } = found;
  const own = programVersion();
  if (server.version === own) return found;
  const [{ replaceOldServer }, { stopIdleServer }] = await Promise.all([
    import("./other-version.ts"),
    import("./stop-idle.ts"),
  ]);
  const { note = () => {} } = place;
  const stopIfIdle = async (): Promise<boolean> =>
    (await stopIdleServer(place, { onlyBackground: true })) === null;
  return replaceOldServer({ found, server, own, stopIfIdle, restart, note });
}

async function namedServer(place: ServerPlace): Promise<ServerClient | null> {
  const { environment } = place;
  const named = place.server ?? environment["HOLDFAST_SERVER"] ?? "";
  if (named === "") return null;
  const url = checkedUrl(named);
  const token = tokenIn(environment);
  if (token === null) throw tokenMissing(url);
  const version = await expectHoldfast(url);
  const own = programVersion();
  if (version !== own && place.note !== undefined) {
    const { describeVersions } = await import("./other-version.ts");
    place.note(describeVersions({ version, url }, own));
  }
  return remote(place, { url, token, send: fetch });
}

function announced(
  place: ServerPlace,
  found: Announced & { restart: (() => Promise<unknown>) | null },
): Promise<ServerClient> {
  const { file, server, restart } = found;
  const own = tokenIn(place.environment);
  const tokenOf = (): string | null => own ?? readTokenFile(tokenFileFor(file));
  const { isFollowed = true } = place;
  const send = sendToFound({ file, server, tokenOf, isFollowed, restart, send: fetch });
  return remote(place, { url: server.url, send });
}

function tokenIn(environment: NodeJS.ProcessEnv): string | null {
  const token = environment["HOLDFAST_TOKEN"] ?? "";
  return token === "" ? null : checkedToken(token);
}

interface Announced {
  readonly file: string;
  readonly server: FoundServer;
}

/**
 * Timeout in milliseconds for the first answer of a server. It is long, because many clients may start together on a
 * busy machine.
 */
const slowAnswer = 10_000;

/** Finds the server of a store, and the file that announces it. */
export async function findAnnounced(place: ServerPlace): Promise<Announced | null> {
  const { store, environment, home } = place;
  const files = discoveryFiles({ store, dataFolder: dataFolder(environment, home) });
  for (const file of files) {
    const server = await findServer(file, { timeout: slowAnswer });
    if (server !== null) return { file, server };
  }
  return null;
}

async function remote(
  { patience, watch = (send) => send, client = "cli" }: ServerPlace,
  server: { url: string; token?: string; send: Send },
): Promise<ServerClient> {
  const { connect } = await import("@holdfast/sdk");
  const { url, token, send } = server;
  const holdfast: Holdfast = connect({ url, token, patience, fetch: watch(send), client });
  return { holdfast, url, [Symbol.asyncDispose]: () => Promise.resolve() };
}

function tokenMissing(url: string): SetupError {
  const advice =
    "run `holdfast server token create NAME` on the server's machine and set HOLDFAST_TOKEN to the printed token";
  return new SetupError("unauthorized", `the server at ${url} needs a token; ${advice}`);
}

/**
 * Checks that a Holdfast server is at the address, and returns its version. Without this check, the first request to
 * another kind of server would be retried for a long time.
 */
async function expectHoldfast(url: string): Promise<string> {
  const { connect, BadAnswer, Refused, ServerFailed } = await import("@holdfast/sdk");
  try {
    const { name, version } = await connect({ url, patience: 2_000 }).health();
    if (name === "holdfast") return version;
  } catch (error) {
    const isOther = [BadAnswer, Refused, ServerFailed].some((kind) => error instanceof kind);
    if (!isOther) throw error;
  }
  const advice = "check the address and its path";
  throw new SetupError("serverAddress", `the server at ${url} is not a Holdfast server; ${advice}`);
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const message = `${text} is not a server address; write http://host:port`;
    throw new SetupError("serverAddress", message);
  }
  if (url.username === "" && url.password === "") return text;
  const advice = "remove them and set HOLDFAST_TOKEN";
  throw new SetupError("serverAddress", `the address contains a user name or password; ${advice}`);
}

/** Rejects characters that cannot be sent in a header. */
function checkedToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token.trim())) return token.trim();
  const advice = "set it to a token that `holdfast server token create` printed";
  throw new SetupError("unauthorized", `HOLDFAST_TOKEN is not a token; ${advice}`);
}
