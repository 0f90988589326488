import type { Rate } from "./security/buckets.ts";

/** What clients can take of this process, all together and each (P5). Times are in milliseconds. */
export interface ServerLimits {
  readonly maxConnections: number;
  /** Of one other machine; programs on this one all have the same address. */
  readonly maxConnectionsPerAddress: number;
  readonly maxHeaderBytes: number;
  /** Until the head of a request is there. */
  readonly headersTimeout: number;
  /** Until all of a request is there, however fast it arrives. */
  readonly requestTimeout: number;
  /** A body must be complete in this time, or bring `bodyProgress` more bytes in each such time. */
  readonly bodyTimeout: number;
  readonly bodyProgress: number;
  /** How long a connection may wait for its next request. */
  readonly idleTimeout: number;
  /** How long a reader may take nothing, or take for the rest of an answer that is complete. */
  readonly readTimeout: number;
  /** Requests of one token; null for no limit. */
  readonly tokenRate: Rate | null;
  /** Requests without a good token, by address; null for no limit. */
  readonly strangerRate: Rate | null;
  readonly maxStreams: number;
  readonly maxStreamsPerToken: number;
}

export const defaultServerLimits: ServerLimits = {
  maxConnections: 4_096,
  maxConnectionsPerAddress: 512,
  maxHeaderBytes: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 600_000,
  bodyTimeout: 60_000,
  bodyProgress: 1_000_000,
  idleTimeout: 30_000,
  readTimeout: 120_000,
  tokenRate: { burst: 5_000, perSecond: 1_000 },
  strangerRate: { burst: 200, perSecond: 20 },
  maxStreams: 3_000,
  maxStreamsPerToken: 2_000,
};
