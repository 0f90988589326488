/** How to reach an MCP server, with everything resolved: it may hold secrets. */
export type McpServerConfig =
  | {
      readonly type: "stdio";
      readonly command: readonly [string, ...string[]];
      readonly env: Readonly<Record<string, string>>;
      /** Absolute. */
      readonly cwd: string;
      /** Milliseconds that a call may be silent; null for the usual. */
      readonly timeout: number | null;
    }
  | {
      readonly type: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly timeout: number | null;
    };
