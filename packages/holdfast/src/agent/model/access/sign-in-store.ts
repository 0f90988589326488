/** Stores the tokens of a sign-in, so that renewed tokens survive a restart. */
export interface SignInStore {
  /** Reads the tokens of a sign-in. Returns null if the user is not signed in to the provider. */
  read(provider: string): Promise<SignInTokens | null>;
  write(provider: string, tokens: SignInTokens): Promise<void>;
}

export interface SignInTokens {
  readonly key: string;
  /** Refresh token. Null: the access token does not expire, or cannot be renewed. */
  readonly refresh: string | null;
  /** OAuth client id of the sign-in. */
  readonly clientId: string;
}
