export type SandboxUse = "auto" | "off" | "required";

/** How to start a hosted agent. References are resolved, so it may contain secrets. */
export interface HostedConfig {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that the agent gets from Holdfast's own environment, such as its API key. */
  readonly variables: readonly string[];
  /** `auto`: use the sandbox if it works. `required`: do not start the agent without it. */
  readonly sandbox: SandboxUse;
  /** Paths in the home directory that the agent may use in the sandbox: its sign-in, settings and sessions. */
  readonly folders: readonly string[];
}
