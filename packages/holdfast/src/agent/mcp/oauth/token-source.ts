import type { AuthProvider } from "@modelcontextprotocol/client";
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
export function createTokenSource(options: {
  readonly serverUrl: string;
  readonly settings: OAuthSettings;
  readonly signIns: SignIns;
}): AuthProvider {
  const { serverUrl, signIns } = options;
  const key = signInKey(serverUrl);
  let used: string | null = null;
  return {
    token: async () => {
      used = (await signIns.read(key))?.tokens?.access_token ?? null;
      return used ?? undefined;
    },
    onUnauthorized: ({ response }) =>
      oneRefresh.run(key, async () => {
        const known = (await signIns.read(key)) ?? emptySignIn;
        if (known.tokens === null) throw new SignInNeeded(noSignIn);
        // Another connection has already refreshed the token that this request used.
        if (known.tokens.access_token !== used) return;
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
}
