import type { Credential, Credentials } from "./credentials.ts";

/** Names and times of disconnected providers, shared by all processes that use a store. Contains no keys. */
export interface Disconnections {
  /** Returns the time of each disconnect by provider name. */
  read(): Promise<ReadonlyMap<string, number>>;
  /** Records a disconnect; removes it if the time is null. */
  put(name: string, at: number | null): Promise<void>;
}

/**
 * Combines a process's own credentials with the shared disconnects, so that no process uses a disconnected provider,
 * even if it has its own key.
 */
export function sharedCredentials(
  own: Credentials,
  /**
   * Returns the list of disconnected providers in the store, which all processes share. Null while no store is open.
   */
  shared: () => Disconnections | null,
): Credentials {
  return {
    keys: () => own.keys(),
    serverSignIns: own.serverSignIns,
    read: async () => {
      const disconnected = (await shared()?.read()) ?? new Map<string, number>();
      const credentials = new Map(await own.read());
      for (const [name, at] of disconnected) {
        // Skip: after the disconnect, a command without access to the store has connected the provider again.
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
