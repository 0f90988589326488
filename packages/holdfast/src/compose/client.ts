import type { Holdfast } from "@holdfast/sdk";
import { StoreError } from "../store/store-error.ts";
import type { Store, StoreReader } from "../store/store.ts";
import { findServerClient, noServer } from "./server-client.ts";
import type { ServerClient, ServerPlace } from "./server-client.ts";
import { openExistingStore, openReader, openStore } from "./stores.ts";
import type { WorkClient, WorkOptions } from "./work-client.ts";

// Modules that only a client without a server needs are loaded on demand: loading them would take most of a command's
// start-up time.

/** A connection to a server, or a runtime in this process. Disposing closes everything that was opened. */
export interface Client extends AsyncDisposable {
  readonly holdfast: Holdfast;
  /** Null: there is no server, and this process does the work. */
  readonly url: string | null;
}

/** The purposes that a client is opened for, and the client that each purpose gets. */
export interface Clients {
  /** Talks to a server, which is required. */
  readonly server: ServerClient;
  /** Reads sessions, even while another process owns the store. */
  readonly look: Client;
  /** Changes sessions, but runs no prompts. */
  readonly change: Client;
  /** Reads and changes config and providers. It uses no sessions, so another process may own the store meanwhile. */
  readonly settings: Client;
  /** Runs the prompts of one session and its children. */
  readonly work: ServerClient | WorkClient;
}

export interface Places {
  readonly server: ServerPlace;
  readonly look: ServerPlace;
  readonly change: ServerPlace & {
    /** Session for which this process may do exclusive work, such as an undo, if there is no server. */
    readonly sessionId?: string | undefined;
    /** Creates the store if there is neither a server nor a store. */
    readonly create?: boolean | undefined;
  };
  readonly settings: ServerPlace;
  readonly work: ServerPlace & WorkOptions;
}

/** Connects to the store's server; without one, opens what the purpose needs in this process. */
export async function openClient<Purpose extends keyof Clients>(
  place: Places[Purpose],
  purpose: Purpose,
): Promise<Clients[Purpose]> {
  return (await findServerClient(place)) ?? inThisProcess[purpose](place);
}

const inThisProcess: {
  readonly [Purpose in keyof Clients]: (place: Places[Purpose]) => Promise<Clients[Purpose]>;
} = {
  server: () => Promise.reject(noServer()),
  look: async ({ store }) => idleClient(lookingStore(await openReader(store)), "none"),
  change: async ({ store, create = false, sessionId = "none" }) =>
    idleClient(await (create ? openStore : openExistingStore)(store), sessionId),
  settings: openSettings,
  work: async (place) => (await import("./work-client.ts")).openWork(place),
};

/**
 * Opens a client that changes sessions and does the exclusive work of one session, but runs no prompts. It becomes
 * the owner of the store.
 */
async function idleClient(store: Store, onlySession: string): Promise<Client> {
  await using stack = new AsyncDisposableStack();
  stack.defer(() => store.close());
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

/** A store that can be read and refuses every change. */
function lookingStore(reader: StoreReader): Store {
  return {
    ...reader,
    peek: () => null,
    execute: refuse,
    putRecord: refuse,
    removeRecord: refuse,
    addUpload: refuse,
    sweepUploads: refuse,
    removeBodies: refuse,
    compact: refuse,
    // A reader takes no lanes, so other processes need not know its lease.
    join: async (lease) => ({ ...lease, expiresAt: (await reader.now()) + lease.ttl }),
    renew: async () => ({ status: "renewed", expiresAt: (await reader.now()) + 60_000, lanes: [] }),
    leave: () => Promise.resolve(),
    pending: () => Promise.resolve({ lanes: [], nextDueIn: null }),
    watch: () => () => {},
    messages: null,
    rejectedNotifications: () => 0,
  };
}

function refuse(): Promise<never> {
  return Promise.reject(
    new StoreError("storeReadOnly", "the store was opened read-only; nothing can be changed"),
  );
}
