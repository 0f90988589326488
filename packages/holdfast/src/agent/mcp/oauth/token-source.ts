import type { AuthProvider, FetchLike } from "@modelcontextprotocol/client";
import { createKeyedMutex } from "../../../base/serial.ts";
import { createOAuthConnector } from "./oauth-provider.ts";
import { ownOriginFetch } from "./own-origin-fetch.ts";
import { emptySignIn, signInKey } from "./sign-ins.ts";
import type { OAuthSettings, SignIns } from "./sign-ins.ts";

/** Thrown if a person must sign in: there is no sign-in, or it has expired. */
export class SignInNeeded extends Error {
  readonly code = "signInNeeded";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SignInNeeded";
  }
}

const noSignIn =
  'the server answered with status 401. Set a key under "headers", such as "authorization", or sign in';

/** Allows one refresh at a time. Two concurrent ones would use the same refresh token twice, which ends the sign-in. */
const oneRefresh = createKeyedMutex();

/** Adds the stored access token to requests of runs, and refreshes it once if the server rejects it. */
export interface TokenSource {
  readonly provider: AuthProvider;
  /** Wraps the fetch of the transport, so that the provider knows which token a rejected request had. */
  watch(fetch: FetchLike): FetchLike;
}

export function createTokenSource(options: {
  readonly serverUrl: string;
  readonly settings: OAuthSettings;
  readonly signIns: SignIns;
}): TokenSource {
  const { serverUrl, signIns } = options;
  const key = signInKey(serverUrl);
  const rejected = new WeakMap<Response, string | null>();
  const provider: AuthProvider = {
    token: async () => (await signIns.read(key))?.tokens?.access_token,
    onUnauthorized: ({ response }) =>
      oneRefresh.run(key, async () => {
        const known = (await signIns.read(key)) ?? emptySignIn;
        if (known.tokens === null) throw new SignInNeeded(noSignIn);
        // Another request has already refreshed the token that this one had.
        if (`Bearer ${known.tokens.access_token}` !== rejected.get(response)) return;
        const ended = "the sign-in has ended";
        if (known.tokens.refresh_token === undefined) throw new SignInNeeded(ended);
        const sdk = await import("@modelcontextprotocol/client");
        const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
        const result = await sdk
          .auth(createOAuthConnector({ ...options, redirectUrl: null }), {
            serverUrl,
            fetchFn: ownOriginFetch(),
            ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
            ...(scope === undefined ? {} : { scope }),
          })
          .catch((cause: unknown) => {
            throw new SignInNeeded(ended, { cause });
          });
        if (result !== "AUTHORIZED") throw new SignInNeeded(ended);
      }),
  };
  return {
    provider,
    watch: (fetch) => async (url, init) => {
      const response = await fetch(url, init);
      const isRejected = response.status === 401;
      if (isRejected) rejected.set(response, new Headers(init?.headers).get("authorization"));
      return response;
    },
  };
}
