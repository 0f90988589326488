import type { Rate } from "./security/buckets.ts";

/** Limits on the resources that all clients together, or one client, can use (P5). Times are in milliseconds. */
export interface ServerLimits {
  readonly maxConnections: number;
  /** Maximum number of connections from one address. Loopback is exempt, because all local programs share it. */
  readonly maxConnectionsPerAddress: number;
  readonly maxHeaderBytes: number;
  /** Maximum time for receiving the headers of a request. */
  readonly headersTimeout: number;
  /** Maximum time for receiving a complete request, even if it makes progress. */
  readonly requestTimeout: number;
  /**
   * Time for receiving a body. A body may take longer if at least `bodyProgress` more bytes arrive in each period of
   * this length.
   */
  readonly bodyTimeout: number;
  readonly bodyProgress: number;
  /** Maximum time that a keep-alive connection may wait for its next request. */
  readonly idleTimeout: number;
  /**
   * Maximum time that a client may read nothing of a response. After the server has produced the whole response, the
   * client must also read the rest of it within this time.
   */
  readonly readTimeout: number;
  /** Rate limit of each token; null: no limit. */
  readonly tokenRate: Rate | null;
  /** Rate limit of each address for requests without a valid token; null: no limit. */
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
