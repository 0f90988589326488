import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

/** The stored sign-in at one MCP server. */
export interface SignIn {
  readonly client: StoredOAuthClientInformation | null;
  readonly tokens: StoredOAuthTokens | null;
  /** The authorization server that the tokens belong to. */
  readonly discovery: OAuthDiscoveryState | null;
  /** The redirect address with which the client is registered. A refresh of the tokens does not use it. */
  readonly redirectUrl: string;
  /** Scopes that the server asked for after the sign-in. The next sign-in requests them. */
  readonly wantedScope: string | null;
}

/**
 * Sign-ins by the server's address. The server's name is not used as the key: a project could give the name of
 * another server to its own address, and would get that server's tokens.
 */
export interface SignIns {
  read(url: string): Promise<SignIn | null>;
  /** Stores the sign-in of a server. Null removes the sign-in. */
  put(url: string, signIn: SignIn | null): Promise<void>;
}

/** Settings of an OAuth client that was registered by hand. */
export interface OAuthSettings {
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly scope: string | null;
  /** Address of a client metadata document, for servers that accept it as the client's id. */
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

/** Removes parts of an address that do not identify the server. */
export function signInKey(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
