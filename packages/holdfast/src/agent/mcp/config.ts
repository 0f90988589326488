import type { OAuthSettings } from "./oauth/sign-ins.ts";

/**
 * Settings to start or reach an MCP server. References such as `{env:NAME}` are already replaced by their values, which
 * may be secrets.
 */
export type McpServerConfig =
  | {
      readonly type: "stdio";
      readonly command: readonly [string, ...string[]];
      readonly env: Readonly<Record<string, string>>;
      /** Working directory of the server process, as an absolute path. */
      readonly cwd: string;
      /** Milliseconds that a call may take without reporting progress. Null: the default timeout. */
      readonly timeout: number | null;
      /**
       * True for a server that an editor named when it opened a session. If it cannot be started, the directory is
       * loaded without it.
       */
      readonly optional?: true;
    }
  | {
      readonly type: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** OAuth settings for a server that requires a sign-in. Missing: the client registers itself. */
      readonly oauth?: OAuthSettings;
      readonly timeout: number | null;
    };
