import type { Credential, Credentials } from "./credentials.ts";

/** Disconnected providers, for all processes that share a store: names and times, but no keys. */
export interface Disconnections {
  /** Time of each disconnect. */
  read(): Promise<ReadonlyMap<string, number>>;
  /** Records or, with null, removes a disconnect. */
  put(name: string, at: number | null): Promise<void>;
}

/**
 * Combines a process's own credentials with the shared disconnects, so that a disconnected provider is not used
 * by a process that has its own key for it.
 */
export function sharedCredentials(
  own: Credentials,
  /** Null while no store is open. */
  shared: () => Disconnections | null,
): Credentials {
  return {
    keys: () => own.keys(),
    serverSignIns: own.serverSignIns,
    read: async () => {
      const disconnected = (await shared()?.read()) ?? new Map<string, number>();
      const credentials = new Map(await own.read());
      for (const [name, at] of disconnected) {
        // The provider was connected again later, by a command that did not know the store.
        if ((credentials.get(name)?.at ?? 0) > at) continue;
        credentials.set(name, { status: "disconnected", at } satisfies Credential);
      }
      return credentials;
    },
    put: async (name, credential) => {
      await own.put(name, credential);
      await shared()?.put(name, credential.status === "disconnected" ? credential.at : null);
    },
  };
}
