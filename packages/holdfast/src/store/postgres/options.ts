export interface PostgresStoreOptions {
  /** postgres://user:password@host:port/database */
  readonly url: string;
  /** The schema that holds the store's tables; made when it is not there. */
  readonly schema?: string;
  /** True: a database without a store is refused, and left as it is. */
  readonly mustExist?: boolean;
  /** Connections for commits and reads; one more listens for signals. */
  readonly connections?: number;
  /** Milliseconds that one statement, a wait for a row, and a pause in a transaction may take. */
  readonly timeouts?: Partial<Timeouts>;
  /** How long a database that went away is waited for before a request fails. */
  readonly unavailableAfter?: number;
  /** How old a measurement of the database's clock may be before it is taken again. */
  readonly clockAge?: number;
  /** How many lanes' states are kept in memory. */
  readonly cachedLanes?: number;
  /** Told what an operator should know; it must not throw. */
  readonly onWarning?: (message: string) => void;
}

/** Each must be shorter than the leases: what a frozen process holds must be free by then. */
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
