import type { Holdfast } from "@holdfast/sdk";
import { discoveryFiles, findServer, tokenFileFor } from "../server/discovery.ts";
import type { Discovery } from "../server/discovery.ts";
import { SetupError } from "../server/setup-error.ts";
import { readTokenFile } from "../server/security/token-file.ts";
import type { Client } from "./client.ts";
import { sendToFound } from "./found-server.ts";
import type { Send } from "./found-server.ts";
import { dataFolder } from "./stores.ts";

export interface ServerClient extends Client {
  readonly url: string;
}

export interface ServerPlace {
  readonly store: string;
  /** The URL of a server to use instead of the store's own; false: use no server. */
  readonly server?: string | false | undefined;
  /** Milliseconds to wait for a server that does not answer. */
  readonly patience?: number | undefined;
  /** Wraps the function that sends requests, to see whether the server answers. */
  readonly watch?: ((send: Send) => Send) | undefined;
  /** False: when the server has ended, do not use a later server on the same store. */
  readonly isFollowed?: boolean | undefined;
  /** Name of this program for the server; `cli` by default. */
  readonly client?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
}

export function noServer(): SetupError {
  const advice = "start one with `holdfast serve`, or name one with --server";
  return new SetupError("noServer", `there is no server for this store; ${advice}`);
}

/** Connects to the named server, or to the server that announced itself for the store; null if there is no server. */
export async function findServerClient(place: ServerPlace): Promise<ServerClient | null> {
  const { environment, home, store } = place;
  if (place.server === false) return null;
  const named = place.server ?? environment["HOLDFAST_SERVER"] ?? "";
  const token = environment["HOLDFAST_TOKEN"] ?? "";
  if (named !== "") {
    const url = checkedUrl(named);
    if (token === "") throw tokenMissing(url);
    await expectHoldfast(url);
    return remote(place, { url, token: checkedToken(token), send: fetch });
  }
  if ((environment["HOLDFAST_NO_SERVER"] ?? "") !== "") return null;
  const found = await findAnnounced({ store, dataFolder: dataFolder(environment, home) });
  if (found === null) return null;
  const { file, server } = found;
  const own = token === "" ? null : checkedToken(token);
  const tokenOf = (): string | null => own ?? readTokenFile(tokenFileFor(file));
  const { isFollowed = true } = place;
  const send = sendToFound({ file, server, tokenOf, isFollowed, send: fetch });
  return remote(place, { url: server.url, send });
}

/** Finds the server of a store, and the file that announces it. */
async function findAnnounced(
  place: Parameters<typeof discoveryFiles>[0],
): Promise<{ file: string; server: Discovery } | null> {
  for (const file of discoveryFiles(place)) {
    const server = await findServer(file);
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
  const advice = "set HOLDFAST_TOKEN to a token that `holdfast token create NAME` printed there";
  return new SetupError("unauthorized", `the server at ${url} needs a token; ${advice}`);
}

/** Checks the address at once: otherwise the first request would retry for a long time. */
async function expectHoldfast(url: string): Promise<void> {
  const { connect, BadAnswer, Refused, ServerFailed } = await import("@holdfast/sdk");
  const isThere = async (): Promise<string> =>
    (await connect({ url, patience: 2_000 }).health()).name;
  try {
    if ((await isThere()) === "holdfast") return;
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
  const advice = "set it to a token that `holdfast token create` printed";
  throw new SetupError("unauthorized", `HOLDFAST_TOKEN is not a token; ${advice}`);
}
