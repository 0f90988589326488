/** How to start a hosted agent. References are resolved, so it may contain secrets. */
export interface HostedConfig {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that the agent gets from Holdfast's own environment, such as its API key. */
  readonly variables: readonly string[];
}
