/** Stores the tokens of a sign-in, so that renewed tokens survive a restart. */
export interface SignInStore {
  /** Null if the provider was not signed in to. */
  read(provider: string): Promise<SignInTokens | null>;
  write(provider: string, tokens: SignInTokens): Promise<void>;
}

export interface SignInTokens {
  readonly key: string;
  /** Null: the token does not expire, or cannot be renewed. */
  readonly refresh: string | null;
  /** OAuth client of the sign-in. */
  readonly clientId: string;
}
