import type { SignInStore } from "../../agent/model/access/sign-in-store.ts";
import type { Credentials } from "./credentials.ts";

/** Stores sign-in tokens in the credentials file. */
export function signInStore(credentials: Credentials): SignInStore {
  return {
    read: async (provider) => {
      const credential = (await credentials.read()).get(provider);
      if (credential?.status !== "connected" || credential.key === null) return null;
      const { key, signIn } = credential;
      return signIn === undefined ? null : { key, ...signIn };
    },
    write: async (provider, { key, ...signIn }) => {
      const credential = (await credentials.read()).get(provider);
      // The provider was disconnected in the meantime, and a renewed token must not connect it again.
      if (credential?.status !== "connected") return;
      await credentials.put(provider, { ...credential, key, signIn });
    },
  };
}
