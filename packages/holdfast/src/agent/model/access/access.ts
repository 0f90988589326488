/** Adds credentials to the requests of one provider. */
export interface Access {
  authorize(request: Outgoing): Promise<Authorized>;
  /** Advice for people if the provider rejects the credentials. */
  readonly advice: string;
}

export interface Outgoing {
  readonly method: string;
  readonly url: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Authorized {
  readonly request: Outgoing;
  /**
   * Renews the credentials after the provider rejected them. Resolves with false if the credentials did not change.
   * Null: these credentials cannot be renewed.
   */
  readonly renew: (() => Promise<boolean>) | null;
}

/** Replaces the headers that contain credentials. An SDK adds such headers even if it has no key. */
export function withCredentials(
  { headers, ...request }: Outgoing,
  credentials: Readonly<Record<string, string>>,
): Outgoing {
  const kept = Object.entries(headers).filter(([name]) => !credentialHeaders.has(name));
  return { ...request, headers: { ...Object.fromEntries(kept), ...credentials } };
}

const credentialHeaders = new Set(["authorization", "api-key", "x-api-key", "x-goog-api-key"]);

/** Access with a key that never changes. */
export function keyAccess(credentials: Readonly<Record<string, string>>, advice: string): Access {
  return {
    advice,
    authorize: async (request) => ({ request: withCredentials(request, credentials), renew: null }),
  };
}

/** Credentials that expire and can be loaded again. */
export interface Renewable<Value> {
  /** Returns credentials that stay valid for at least one minute. */
  get(): Promise<Value>;
  /**
   * Loads new credentials, unless a concurrent call has already replaced `used`. Resolves with false if they did not
   * change.
   */
  renew(used: Value): Promise<boolean>;
}

export function createRenewable<Value>(options: {
  readonly load: () => Promise<Value>;
  /** Returns the expiry time in milliseconds since 1970. Null: unknown, or never. */
  readonly expiresAt: (value: Value) => number | null;
  readonly isSame: (left: Value, right: Value) => boolean;
}): Renewable<Value> {
  const { load, expiresAt, isSame } = options;
  let current: Value | null = null;
  let loading: Promise<Value> | null = null;
  /** Concurrent calls share one load. */
  const loadOnce = (): Promise<Value> => {
    loading ??= load()
      .then((value) => {
        current = value;
        return value;
      })
      .finally(() => {
        loading = null;
      });
    return loading;
  };
  return {
    get: async () => {
      const end = current === null ? null : expiresAt(current);
      const isFresh = current !== null && (end === null || end - Date.now() > margin);
      return isFresh && current !== null ? current : loadOnce();
    },
    renew: async (used) => {
      if (current !== null && !isSame(current, used)) return true;
      return !isSame(await loadOnce(), used);
    },
  };
}

const margin = 60_000;
