/** What a server may take and send. Times are milliseconds, sizes are bytes or characters. */
export interface McpLimits {
  readonly connectTimeout: number;
  readonly listTimeout: number;
  /** How long a call may be silent; progress begins it anew. */
  readonly callTimeout: number;
  readonly maxCallTime: number;
  /** Between asking a process to end and killing it. */
  readonly closeGrace: number;
  /** Of one message; a larger one fails the request that it answers. */
  readonly maxMessage: number;
  /** What may wait in a pipe that the server does not read. */
  readonly maxUnread: number;
  /** More messages or bytes than these in one window are a flood, and the server is stopped. */
  readonly flood: { readonly window: number; readonly messages: number; readonly bytes: number };
  /** Bytes of standard error that are read in a second: a server that prints more is slowed down. */
  readonly stderrRate: number;
  readonly maxTools: number;
  readonly maxPrompts: number;
  readonly maxDescription: number;
  /** Of one tool's input, as JSON. */
  readonly maxSchema: number;
  /** Of all that the model is told of one server's tools. */
  readonly maxDefinitions: number;
  readonly backoff: {
    readonly first: number;
    readonly max: number;
    /** So many failures in a row, and only the next call tries again. */
    readonly tries: number;
    /** After this long without trouble the count begins anew. */
    readonly forgetAfter: number;
  };
  /** How long changes of its lists are gathered; the more often they come, the longer. */
  readonly changeDelay: number;
}

export const defaultMcpLimits: McpLimits = {
  connectTimeout: 25_000,
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
  maxSchema: 20_000,
  maxDefinitions: 400_000,
  backoff: { first: 500, max: 60_000, tries: 6, forgetAfter: 60_000 },
  changeDelay: 300,
};

/** Counts what a server sends. */
interface FloodMeter {
  /** Why it is too much; null while it is not. */
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
        return `it sent ${messages} messages or parts of them in ${seconds} s`;
      if (bytes > limits.bytes) return `it sent ${bytes} bytes in ${seconds} s`;
      return null;
    },
  };
}
