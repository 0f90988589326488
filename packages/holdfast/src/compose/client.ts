import type { Holdfast } from "@holdfast/sdk";
import type { Store } from "../store/store.ts";
import { SetupError } from "../server/setup-error.ts";
import { findAnnounced, findServerClient, joinServer, noServer } from "./server-client.ts";
import type { ServerClient, ServerPlace } from "./server-client.ts";
import { hasFreedStore } from "./stopping-server.ts";
import { expectStore, openExistingStore, openReader, openStore, storeWords } from "./stores.ts";
import type { WorkClient, WorkOptions } from "./work-client.ts";

// Modules that only a client without a server needs are loaded on demand: loading them would take most of a command's
// start-up time.

/** A connection to a server, or a runtime in this process. Disposing closes everything that was opened. */
export interface Client extends AsyncDisposable {
  readonly holdfast: Holdfast;
  /** Null: there is no server, and this process does the work. */
  readonly url: string | null;
}

/** The type of client that `openClient` returns for each purpose. */
export interface Clients {
  /** The server that is running. Fails if there is none. */
  readonly running: ServerClient;
  /** A server, which is started if there is none. */
  readonly server: ServerClient;
  /** Reads sessions, even while another process owns the store. */
  readonly look: Client;
  /** Changes sessions. Uses a server like `server`, which also runs prompts. An embedded client runs none. */
  readonly change: Client;
  /**
   * Reads and changes config and providers. It uses no sessions, so another process may own the store at the same time.
   */
  readonly settings: Client;
  /** Runs prompts. An embedded client runs only those of one session and its children. */
  readonly work: ServerClient | WorkClient;
}

export interface Places {
  readonly running: ServerPlace;
  readonly server: ServerPlace;
  readonly look: ServerPlace;
  readonly change: ServerPlace & {
    /** Session in which an embedded client may execute exclusive operations, such as an undo. */
    readonly sessionId?: string | undefined;
    /** Creates the store if there is neither a server nor a store. */
    readonly create?: boolean | undefined;
  };
  readonly settings: ServerPlace;
  readonly work: ServerPlace & WorkOptions;
}

/**
 * Connects to the store's server. If there is none, the purpose decides whether to start a server or to work without
 * one. An embedded client uses no server.
 */
export async function openClient<Purpose extends keyof Clients>(
  place: Places[Purpose],
  purpose: Purpose,
): Promise<Clients[Purpose]> {
  const openers = isEmbedded(place) ? embeddedOpeners : serverOpeners;
  return openers[purpose](place);
}

function isEmbedded({ embedded, environment }: ServerPlace): boolean {
  return embedded ?? (environment["HOLDFAST_EMBEDDED"] ?? "") !== "";
}

type Openers = {
  readonly [Purpose in keyof Clients]: (place: Places[Purpose]) => Promise<Clients[Purpose]>;
};

const serverOpeners: Openers = {
  running: async (place) => (await findServerClient(place)) ?? Promise.reject(noServer()),
  server: joinServer,
  look: async (place) => (await findServerClient(place)) ?? embeddedOpeners.look(place),
  settings: async (place) => (await findServerClient(place)) ?? embeddedOpeners.settings(place),
  change: async (place) => {
    const found = await findServerClient(place);
    if (found === null && place.create !== true) expectStore(place.store);
    return joinServer(place);
  },
  work: joinServer,
};

const embeddedOpeners: Openers = {
  running: () => Promise.reject(noServer()),
  server: () => Promise.reject(needsServer()),
  look: async ({ store }) => {
    const { lookingStore } = await import("./looking-store.ts");
    return idleClient(lookingStore(await openReader(store)), noSession);
  },
  settings: openSettings,
  change: async (place) => {
    await expectAlone(place);
    const { store, create = false, sessionId = noSession } = place;
    return idleClient(await (create ? openStore : openExistingStore)(store), sessionId);
  },
  work: async (place) => {
    await expectAlone(place);
    return (await import("./work-client.ts")).openWork(place);
  },
};

/** An empty string is never a session id, so a client limited to it executes nothing. */
const noSession = "";

function needsServer(): SetupError {
  const advice = "leave out --embedded and unset HOLDFAST_EMBEDDED";
  return new SetupError("noServer", `this command needs a server; ${advice}`);
}

/**
 * Throws if a server is using the store, after waiting for a server that is stopping. Without this check, the command
 * would wait until the server releases its lock.
 */
async function expectAlone(place: ServerPlace): Promise<void> {
  const found = await findAnnounced(place);
  if (found === null) return;
  // After the end of the server, another one may have started.
  if (await hasFreedStore(found.server, place)) return expectAlone(place);
  const stop = `holdfast server stop${storeWords(place.store, place)}`;
  const advice = `leave out --embedded to use the server, or stop it with: ${stop}`;
  const problem = `a server at ${found.server.url} is using this database`;
  throw new SetupError("serverRunning", `${problem}; ${advice}`);
}

/**
 * Opens a client that changes sessions and executes exclusive operations of one session, such as an undo, but runs no
 * prompts. The client's process becomes the owner of the store.
 */
async function idleClient(store: Store, onlySession: string): Promise<Client> {
  await using stack = new AsyncDisposableStack();
  stack.defer(() => store.close());
  const [{ createHoldfast }, { createDemoAgent }] = await Promise.all([
    import("./own-holdfast.ts"),
    import("../agent/demo/demo-agent.ts"),
  ]);
  const holdfast = await createHoldfast({
    // A runtime needs an agent. This one is never used, because `maxRuns` is 0, and it needs no model.
    agent: createDemoAgent({ faults: false }),
    store,
    maxRuns: 0,
    titles: false,
    onlySession,
  });
  stack.defer(() => holdfast.close());
  return ownClient(holdfast, stack.move());
}

async function openSettings({ environment, home }: ServerPlace): Promise<Client> {
  const [{ onRuntime }, { openSetup }, { settingsPorts }, { createRuntime }] = await Promise.all([
    import("./in-process.ts"),
    import("./setup.ts"),
    import("./settings-ports.ts"),
    import("../runtime/runtime.ts"),
  ]);
  await using stack = new AsyncDisposableStack();
  const setup = await openSetup({ model: null, environment, home, watch: false, onError });
  stack.defer(() => setup.close());
  const { agent, host: workspaces, redact, secrets } = setup;
  const runtime = await createRuntime({
    agent,
    store: ":memory:",
    workspaces,
    redact,
    secrets,
    onError,
    maxRuns: 0,
    titles: false,
  });
  setup.attach(runtime);
  const holdfast = await onRuntime(runtime, { onError, redact, ports: settingsPorts(setup) });
  stack.defer(() => holdfast.close());
  return ownClient(holdfast, stack.move());
}

function onError(error: unknown): void {
  process.emitWarning(String(error));
}

function ownClient(holdfast: Holdfast, owned: AsyncDisposableStack): Client {
  return { holdfast, url: null, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
