import type { Credential, Credentials } from "./credentials.ts";

/** Who was disconnected, for all processes that share a store: names and times, and no key. */
export interface Disconnections {
  /** When each was. */
  read(): Promise<ReadonlyMap<string, number>>;
  /** Null: it is not any more. */
  put(name: string, at: number | null): Promise<void>;
}

/**
 * A process's own credentials, under what was said about disconnecting anywhere: a provider that is
 * taken away must not stay in use where somebody has a key of his own for it.
 */
export function sharedCredentials(
  own: Credentials,
  /** Null as long as there is no store. */
  shared: () => Disconnections | null,
): Credentials {
  return {
    keys: () => own.keys(),
    read: async () => {
      const disconnected = (await shared()?.read()) ?? new Map<string, number>();
      const credentials = new Map(await own.read());
      for (const [name, at] of disconnected) {
        // Connected since, by a command that did not know of the store.
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
