import { post as usualPost } from "../chat/post.ts";
import type { Post } from "../chat/post.ts";
import type { Provider } from "../known-providers.ts";
import { oneOrigin } from "../one-origin.ts";
import type { Access } from "./access.ts";
import { openAccess } from "./open-access.ts";
import type { AccessTarget } from "./open-access.ts";
import { authorizedFetch, authorizedPost } from "./send.ts";

export type TransportOptions = Partial<Pick<AccessTarget, "fetch" | "learn" | "signIns">> & {
  readonly post?: Post;
};

/** Functions that send requests with a provider's credentials, only to its host. */
export interface Transport {
  readonly fetch: typeof fetch;
  readonly post: Post;
}

export async function openTransport(
  provider: Provider,
  options: TransportOptions = {},
): Promise<Transport> {
  const { fetch: send = fetch, post = usualPost, learn = () => {}, signIns = null } = options;
  const sendHere = oneOrigin(send);
  const opened = known.get(provider) ?? openAccess({ provider, fetch: send, learn, signIns });
  known.set(provider, opened);
  const access = await opened;
  if (access === null) return { fetch: sendHere, post };
  const { name } = provider;
  return {
    fetch: authorizedFetch(access, { send: sendHere, provider: name }),
    post: authorizedPost(access, { send: post, provider: name }),
  };
}

/** Opened accesses by provider: all models of a provider share its tokens. */
const known = new WeakMap<Provider, Promise<Access | null>>();
