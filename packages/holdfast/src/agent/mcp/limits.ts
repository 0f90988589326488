/** Limits for an MCP server. Times are in milliseconds, sizes in bytes or characters. */
export interface McpLimits {
  /** Maximum time until a server has answered the handshake. At an address, this includes `probeTimeout`. */
  readonly connectTimeout: number;
  /** Maximum time to wait for the answer whether the server supports the newest protocol. */
  readonly probeTimeout: number;
  readonly listTimeout: number;
  /** Maximum time of a call without progress. Each progress message restarts this time. */
  readonly callTimeout: number;
  readonly maxCallTime: number;
  /** Time that a process has to exit before it is killed. */
  readonly closeGrace: number;
  /** Maximum size of one message. A larger message fails its request. */
  readonly maxMessage: number;
  /** Maximum number of bytes waiting in a pipe that the server does not read. */
  readonly maxUnread: number;
  /** More messages or bytes than this within `window` milliseconds are a flood, and the server is disconnected. */
  readonly flood: { readonly window: number; readonly messages: number; readonly bytes: number };
  /** Number of stderr bytes that are read per second. A server that prints more is slowed down. */
  readonly stderrRate: number;
  readonly maxTools: number;
  readonly maxPrompts: number;
  readonly maxDescription: number;
  readonly maxInstructions: number;
  /** Maximum size of the input schema of one tool, as JSON. */
  readonly maxSchema: number;
  /** Maximum size of all tool definitions of one server. */
  readonly maxDefinitions: number;
  readonly backoff: {
    readonly first: number;
    readonly max: number;
    /** Number of consecutive automatic reconnects. If the last one fails too, only a call reconnects. */
    readonly tries: number;
    /** Time without errors after which the failure count is reset. */
    readonly forgetAfter: number;
  };
  /**
   * Milliseconds to collect changes of an MCP server's lists, such as its tools, before the lists are read again. The
   * time grows if changes are frequent.
   */
  readonly changeDelay: number;
}

export const defaultMcpLimits: McpLimits = {
  connectTimeout: 25_000,
  probeTimeout: 3_000,
  listTimeout: 15_000,
  callTimeout: 120_000,
  maxCallTime: 3_600_000,
  closeGrace: 2_000,
  maxMessage: 8_000_000,
  maxUnread: 16_000_000,
  flood: { window: 10_000, messages: 10_000, bytes: 200_000_000 },
  stderrRate: 1_000_000,
  maxTools: 100,
  maxPrompts: 100,
  maxDescription: 4_000,
  maxInstructions: 4_000,
  maxSchema: 20_000,
  maxDefinitions: 400_000,
  backoff: { first: 500, max: 60_000, tries: 6, forgetAfter: 60_000 },
  changeDelay: 300,
};

/** Measures the amount of data that a server sends, to detect a flood. */
interface FloodMeter {
  /** Counts received data. Returns the reason if the server sends too much, else null. */
  add(sent: { readonly messages: number; readonly bytes: number }): string | null;
}

export function createFloodMeter(limits: McpLimits["flood"], now: () => number): FloodMeter {
  let from = now();
  let messages = 0;
  let bytes = 0;
  return {
    add: (sent) => {
      const time = now();
      if (time - from >= limits.window) [from, messages, bytes] = [time, 0, 0];
      messages += sent.messages;
      bytes += sent.bytes;
      const seconds = Math.ceil((time - from) / 1_000);
      if (messages > limits.messages)
        return `the server sent ${messages} messages or chunks in ${seconds} s`;
      if (bytes > limits.bytes) return `the server sent ${bytes} bytes in ${seconds} s`;
      return null;
    },
  };
}
