export interface PostgresStoreOptions {
  /** Address of the database: postgres://user:password@host:port/database */
  readonly url: string;
  /** Schema for the store's tables; created if missing. */
  readonly schema?: string;
  /** If true, a database without a store is refused and not changed. */
  readonly mustExist?: boolean;
  /** Connections for commits and reads; one more connection receives signals. */
  readonly connections?: number;
  /** Time limits in milliseconds for a statement, a wait for a row lock, and an idle transaction. */
  readonly timeouts?: Partial<Timeouts>;
  /** Milliseconds to wait for an unavailable database before a request fails. */
  readonly unavailableAfter?: number;
  /** Maximum age of a reading of the database's clock, in milliseconds. */
  readonly clockAge?: number;
  /** Number of lane states to cache. */
  readonly cachedLanes?: number;
  /** Receives warnings for the operator; must not throw. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Timeouts in milliseconds. Each must be shorter than the leases, so that locks of a frozen process are released
 * before its lease expires.
 */
export interface Timeouts {
  readonly statement: number;
  readonly lock: number;
  readonly idleInTransaction: number;
  readonly connect: number;
}

export type Settings = Required<Omit<PostgresStoreOptions, "timeouts">> & {
  readonly timeouts: Timeouts;
};

export function settingsOf(options: PostgresStoreOptions): Settings {
  const { timeouts, ...given } = options;
  return {
    schema: "holdfast",
    mustExist: false,
    connections: 10,
    unavailableAfter: 10_000,
    clockAge: 5_000,
    cachedLanes: 1_000,
    onWarning: () => {},
    ...given,
    timeouts: {
      statement: 4_000,
      lock: 2_000,
      idleInTransaction: 2_000,
      connect: 5_000,
      ...timeouts,
    },
  };
}
