import { StoreError } from "../store/store-error.ts";
import type { Store, StoreReader } from "../store/store.ts";
import { findClient, idleClient } from "./client.ts";
import type { Client, ClientPlace } from "./client.ts";
import { openReader } from "./stores.ts";

/** For commands that only look: a server, or the store, also while another process owns that. */
export async function openLooking(place: ClientPlace): Promise<Client> {
  return (
    (await findClient(place)) ?? idleClient(lookingStore(await openReader(place.store)), "none")
  );
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
    // Who takes nothing on needs no lease that others would have to know of.
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
  return Promise.reject(new StoreError("storeReadOnly", "the store was opened for looking only"));
}
