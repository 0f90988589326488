import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

/** The stored sign-in to one MCP server. */
export interface SignIn {
  readonly client: StoredOAuthClientInformation | null;
  readonly tokens: StoredOAuthTokens | null;
  /** Metadata of the authorization server that issued the tokens. */
  readonly discovery: OAuthDiscoveryState | null;
  /** The redirect address with which the client is registered. Refreshing the tokens does not need it. */
  readonly redirectUrl: string;
  /** Scopes that the server required after the sign-in. The next sign-in requests them. */
  readonly wantedScope: string | null;
}

/**
 * Stored sign-ins by server address. The server's name is not the key: a project could use another server's name for
 * its own address, and would get that server's tokens.
 */
export interface SignIns {
  read(url: string): Promise<SignIn | null>;
  /** Stores the sign-in to a server. Null removes it. */
  put(url: string, signIn: SignIn | null): Promise<void>;
}

/** Settings of an OAuth client that the user registered. */
export interface OAuthSettings {
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly scope: string | null;
  /** URL of a client metadata document, for servers that accept such a URL as client id. */
  readonly clientMetadataUrl: string | null;
}

export const noOAuthSettings: OAuthSettings = {
  clientId: null,
  clientSecret: null,
  scope: null,
  clientMetadataUrl: null,
};

export const emptySignIn: SignIn = {
  client: null,
  tokens: null,
  discovery: null,
  redirectUrl: "http://127.0.0.1/callback",
  wantedScope: null,
};

/** Removes the parts of an address that do not identify the server. */
export function signInKey(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
