export type SandboxUse = "auto" | "off" | "required";

/**
 * Settings to start a hosted agent. References such as `{env:NAME}` are already replaced by their values, which may be
 * secrets.
 */
export interface HostedConfig {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Names of environment variables that the agent inherits from Holdfast, such as the one with its API key. */
  readonly variables: readonly string[];
  /** `auto`: use the sandbox if it works on this machine. `required`: do not start the agent without it. */
  readonly sandbox: SandboxUse;
  /** Paths in the home directory that the agent may use in the sandbox: its sign-in, settings and sessions. */
  readonly folders: readonly string[];
}
