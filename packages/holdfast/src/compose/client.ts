import type { Holdfast } from "@holdfast/sdk";
import type { Store } from "../store/store.ts";
import { discoveryFiles, findServer, tokenFileFor } from "../server/discovery.ts";
import type { Discovery } from "../server/discovery.ts";
import { SetupError } from "../server/setup-error.ts";
import { readTokenFile } from "../server/security/token-file.ts";
import { sendToFound } from "./found-server.ts";
import type { Send } from "./found-server.ts";
import { dataFolder, openExistingStore, openStore } from "./stores.ts";

/** What commands talk to: a server, or what it is made of in this very process. */
export interface Client {
  readonly holdfast: Holdfast;
  /** Null: there is no server, and everything happens in this process. */
  readonly url: string | null;
  close(): Promise<void>;
}

export interface ClientPlace {
  readonly store: string;
  /** A server elsewhere, instead of the one that works on the store; false for none at all. */
  readonly server?: string | false | undefined;
  /** The one session whose exclusive work this process may do, where there is no server. */
  readonly sessionId?: string | undefined;
  /** Makes the store where there is neither a server nor a store. */
  readonly create?: boolean | undefined;
  /** Milliseconds to wait for a server that does not answer. */
  readonly patience?: number | undefined;
  /** Stands before what sends requests to a server, for those who watch whether it answers. */
  readonly watch?: ((send: Send) => Send) | undefined;
  /** False: when the server has ended, a later one on the same store is not taken for it. */
  readonly isFollowed?: boolean | undefined;
  /** What this program is called in what it does; `cli` if left out. */
  readonly client?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
}

/** The server of the store, or one that is named; null when there is none. */
export async function findClient(place: ClientPlace): Promise<Client | null> {
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

/** The server of a store, with the file that names it. */
async function findAnnounced(
  place: Parameters<typeof discoveryFiles>[0],
): Promise<{ file: string; server: Discovery } | null> {
  for (const file of discoveryFiles(place)) {
    const server = await findServer(file);
    if (server !== null) return { file, server };
  }
  return null;
}

/** For commands that change something without running anything: a server, or this process. */
export async function openClient(place: ClientPlace): Promise<Client> {
  const found = await findClient(place);
  if (found !== null) return found;
  const { create = false, sessionId = "none" } = place;
  const store = await (create ? openStore : openExistingStore)(place.store);
  return idleClient(store, sessionId);
}

/** Does what is asked and the exclusive work of one session, and runs nothing. */
export async function idleClient(
  store: Store,
  onlySession: string,
): Promise<Client & { readonly url: null }> {
  try {
    // Loaded only where there is no server: most of the start would be spent on it.
    const [{ createHoldfast }, { createDemoAgent }] = await Promise.all([
      import("./own-holdfast.ts"),
      import("../agent/demo/demo-agent.ts"),
    ]);
    const holdfast = await createHoldfast({
      agent: createDemoAgent({ faults: false }),
      store,
      maxRuns: 0,
      titles: false,
      onlySession,
    });
    const close = async (): Promise<void> => {
      await holdfast.close();
      await store.close();
    };
    return { holdfast, url: null, close };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** For commands that make sense only with a server. */
export async function expectServer(place: ClientPlace): Promise<Client & { readonly url: string }> {
  const found = await findClient(place);
  if (found !== null && found.url !== null) return { ...found, url: found.url };
  const advice = "`holdfast serve` starts one, --server names one elsewhere";
  throw new SetupError("noServer", `no server works on this store; ${advice}`);
}

async function remote(
  { patience, watch = (send) => send, client = "cli" }: ClientPlace,
  server: { url: string; token?: string; send: Send },
): Promise<Client> {
  const { connect } = await import("@holdfast/sdk");
  const { url, token, send } = server;
  const holdfast = connect({ url, token, patience, fetch: watch(send), client });
  return { holdfast, url, close: async () => {} };
}

function tokenMissing(url: string): SetupError {
  const advice = "set HOLDFAST_TOKEN to one made there with `holdfast token create NAME`";
  return new SetupError("unauthorized", `the server at ${url} wants a token; ${advice}`);
}

/** An address with a mistake in it is to be found out now, not after a minute of patience. */
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
  const advice = "check the address, also the path behind it";
  throw new SetupError("serverAddress", `what answers at ${url} is no Holdfast server; ${advice}`);
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const message = `${text} is no address of a server; write http://host:port`;
    throw new SetupError("serverAddress", message);
  }
  if (url.username === "" && url.password === "") return text;
  const advice = "leave them out, and set HOLDFAST_TOKEN";
  throw new SetupError("serverAddress", `the address has a name or password in it; ${advice}`);
}

/** Whatever else was put into the variable would not even leave. */
function checkedToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token.trim())) return token.trim();
  const advice = "set it to what `holdfast token create` has printed";
  throw new SetupError("unauthorized", `HOLDFAST_TOKEN holds no token; ${advice}`);
}
