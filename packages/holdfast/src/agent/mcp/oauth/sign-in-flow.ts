import { randomBytes, timingSafeEqual } from "node:crypto";
import { openCallbackListener } from "./callback-listener.ts";
import { createOAuthConnector } from "./oauth-provider.ts";
import { ownOriginFetch } from "./own-origin-fetch.ts";
import { signInKey } from "./sign-ins.ts";
import type { OAuthSettings, SignIns } from "./sign-ins.ts";

/** A sign-in that waits for a person. */
export interface SignInFlow {
  /** The URL that the person must open. Null if the stored sign-in still works. */
  readonly authorizationUrl: string | null;
  readonly redirectUrl: string;
  /** Resolves when the sign-in is stored. Rejects with the reason if it failed or was aborted. */
  readonly done: Promise<void>;
  /**
   * Completes the sign-in with the URL that the browser was redirected to, for a browser on another machine. Returns
   * the reason if the URL does not belong to this sign-in, else null.
   */
  finish(callback: string): Promise<string | null>;
  close(): Promise<void>;
}

/** Starts a sign-in. A redirect is accepted only at the flow's own loopback address and with its own `state`. */
export async function startSignIn(options: {
  readonly serverUrl: string;
  readonly settings: OAuthSettings;
  readonly signIns: SignIns;
  readonly fetch?: typeof fetch;
}): Promise<SignInFlow> {
  const { serverUrl, settings, signIns } = options;
  const sdk = await import("@modelcontextprotocol/client");
  const fetchFn = ownOriginFetch(options.fetch);
  const state = randomBytes(32).toString("base64url");
  const over = Promise.withResolvers<void>();
  let isUsed = false;

  const use = async (callback: URL): Promise<string | null> => {
    if (!isEqual(callback.searchParams.get("state") ?? "", state)) return "wrong state";
    if (isUsed) return "this sign-in was already used";
    isUsed = true;
    try {
      await exchange(callback.searchParams);
      over.resolve();
      return null;
    } catch (error) {
      over.reject(error);
      return error instanceof Error ? error.message : String(error);
    }
  };
  const listener = await openCallbackListener(use);
  const done = (async () => {
    try {
      await over.promise;
    } finally {
      await listener.close();
    }
  })();
  // Avoid an unhandled rejection, because callers may await `done` later or never.
  done.catch(() => {});
  const connector = createOAuthConnector({
    serverUrl,
    settings,
    signIns,
    redirectUrl: listener.redirectUrl,
    state,
  });
  const exchange = async (answer: URLSearchParams): Promise<void> => {
    const iss = answer.get("iss");
    // Check the issuer first: in a mix-up attack, all other parts of the redirect come from the attacker.
    const known = (await signIns.read(signInKey(serverUrl)))?.discovery
      ?.authorizationServerMetadata;
    sdk.validateAuthorizationResponseIssuer({
      iss: iss ?? undefined,
      expectedIssuer: known?.issuer,
      issParameterSupported: known?.authorization_response_iss_parameter_supported === true,
    });
    const code = answer.get("code");
    if (code === null) throw new Error(`the server denied the sign-in: ${errorIn(answer)}`);
    const given = { authorizationCode: code, ...(iss === null ? {} : { iss }) };
    await sdk.auth(connector, { serverUrl, fetchFn, ...given });
  };
  const close = async (): Promise<void> => {
    over.reject(new Error("the sign-in was stopped before the person finished it; start it again"));
    await listener.close();
  };
  try {
    if (settings.clientId === null) await forgetClient({ serverUrl, signIns });
    const challenge = await readChallenge(serverUrl, fetchFn, sdk.extractWWWAuthenticateParams);
    const wanted = (await signIns.read(signInKey(serverUrl)))?.wantedScope ?? undefined;
    const scope = settings.scope ?? sdk.computeScopeUnion(wanted, challenge.scope);
    const result = await sdk.auth(connector, {
      serverUrl,
      fetchFn,
      forceReauthorization: true,
      ...(scope === undefined || scope === null ? {} : { scope }),
      ...(challenge.resourceMetadataUrl === undefined
        ? {}
        : { resourceMetadataUrl: challenge.resourceMetadataUrl }),
    });
    if (result === "AUTHORIZED") over.resolve();
    const authorizationUrl = connector.authorizationUrl();
    if (authorizationUrl !== null) checkAuthorizationUrl(authorizationUrl);
    return {
      authorizationUrl: authorizationUrl?.href ?? null,
      redirectUrl: listener.redirectUrl,
      done,
      finish: async (callback) => {
        const url = URL.parse(callback);
        const isOurs = url !== null && `${url.origin}${url.pathname}` === listener.redirectUrl;
        return isOurs ? use(url) : `the address must start with ${listener.redirectUrl}`;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Removes the registered client, because its redirect address has a port that changes with each sign-in. */
async function forgetClient({
  serverUrl,
  signIns,
}: {
  serverUrl: string;
  signIns: SignIns;
}): Promise<void> {
  const key = signInKey(serverUrl);
  const known = await signIns.read(key);
  if (known !== null) await signIns.put(key, { ...known, client: null, discovery: null });
}

/** Sends a request without a token: the response names the server's authorization server and scopes. */
async function readChallenge(
  serverUrl: string,
  fetchFn: ReturnType<typeof ownOriginFetch>,
  read: (response: Response) => { resourceMetadataUrl?: URL; scope?: string },
): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const response = await fetchFn(serverUrl, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" }),
    signal: AbortSignal.timeout(15_000),
  });
  await response.body?.cancel();
  return response.status === 401 ? read(response) : {};
}

/** Checks the URL of the sign-in page, because the server chooses it and the user's browser opens it. */
function checkAuthorizationUrl(url: URL): void {
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLocal)) return;
  throw new Error(`the sign-in page must be at an https address, not at ${url.origin}`);
}

function errorIn(answer: URLSearchParams): string {
  const [code = "no code", text] = [
    answer.get("error") ?? undefined,
    answer.get("error_description"),
  ];
  return (text === null ? code : `${code}: ${text}`).slice(0, 300);
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
