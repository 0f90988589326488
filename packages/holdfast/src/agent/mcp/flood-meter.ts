import type { McpLimits } from "./limits.ts";

/** Counts what a server sends. */
export interface FloodMeter {
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
