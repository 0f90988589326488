import type { OAuthClientMetadata, OAuthClientProvider } from "@modelcontextprotocol/client";
import { emptySignIn, signInKey } from "./sign-ins.ts";
import type { OAuthSettings, SignIn, SignIns } from "./sign-ins.ts";

/** Connects the SDK's OAuth flow to the stored sign-in of one server. */
export interface OAuthConnector extends OAuthClientProvider {
  /** The URL that the person must open. Null until the flow needs it. */
  authorizationUrl(): URL | null;
}

export function createOAuthConnector(options: {
  readonly serverUrl: string;
  readonly settings: OAuthSettings;
  readonly signIns: SignIns;
  /** The address to which the authorization server redirects the browser. Null: no person can sign in now. */
  readonly redirectUrl: string | null;
  readonly state?: string;
}): OAuthConnector {
  const { settings, signIns, state } = options;
  const key = signInKey(options.serverUrl);
  let verifier = "";
  let authorizationUrl: URL | null = null;
  const read = async (): Promise<SignIn> => (await signIns.read(key)) ?? emptySignIn;
  const change = async (changes: Partial<SignIn>): Promise<void> => {
    const redirect = options.redirectUrl === null ? {} : { redirectUrl: options.redirectUrl };
    await signIns.put(key, { ...(await read()), ...redirect, ...changes });
  };
  const redirectUrl = options.redirectUrl ?? emptySignIn.redirectUrl;
  return {
    redirectUrl,
    clientMetadata: metadataOf(redirectUrl, settings),
    ...(settings.clientMetadataUrl === null
      ? {}
      : { clientMetadataUrl: settings.clientMetadataUrl }),
    ...(state === undefined ? {} : { state: () => state }),
    authorizationUrl: () => authorizationUrl,
    clientInformation: async () => {
      const { client } = await read();
      const { clientId: client_id, clientSecret } = settings;
      if (client_id === null) return client ?? undefined;
      // Send the secret only to the authorization server with which it was first used.
      const issuer = client?.client_id === client_id ? client.issuer : undefined;
      return {
        client_id,
        ...(clientSecret === null ? {} : { client_secret: clientSecret }),
        ...(issuer === undefined ? {} : { issuer }),
      };
    },
    saveClientInformation: (client) => change({ client }),
    tokens: async () => (await read()).tokens ?? undefined,
    saveTokens: (tokens) => change({ tokens, wantedScope: null }),
    redirectToAuthorization: (url) => {
      authorizationUrl = url;
    },
    saveCodeVerifier: (value) => {
      verifier = value;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (discovery) => change({ discovery }),
    discoveryState: async () => (await read()).discovery ?? undefined,
    invalidateCredentials: async (scope) => {
      if (scope === "all" || scope === "client") await change({ client: null, tokens: null });
      if (scope === "tokens") await change({ tokens: null });
      if (scope === "all" || scope === "discovery") await change({ discovery: null });
    },
  };
}

function metadataOf(redirectUrl: string, { scope }: OAuthSettings): OAuthClientMetadata {
  return {
    client_name: "Holdfast",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: "native",
    ...(scope === null ? {} : { scope }),
  };
}
