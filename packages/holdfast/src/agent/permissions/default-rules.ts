import type { PermissionRule } from "./rule.ts";

/**
 * Returns the default rules: reading in the directory is allowed; almost everything else needs a person's permission.
 */
export function defaultRules(
  options: { readonly allowedPaths?: readonly string[] } = {},
): readonly PermissionRule[] {
  const { allowedPaths = [] } = options;
  return [
    { action: "read", pattern: "**", effect: "allow" },
    { action: "change", pattern: "**", effect: "ask" },
    { action: "change", pattern: "**", effect: "allow", mode: "acceptEdits" },
    ...[...configFiles, ...secretFiles].map((pattern): PermissionRule => ({
      action: "change",
      pattern,
      effect: "ask",
    })),
    { action: "run", pattern: "*", effect: "ask" },
    { action: "run", pattern: "*", effect: "allow", reads: true },
    { action: "network", pattern: "*", effect: "ask" },
    { action: "fetch", pattern: "*", effect: "ask" },
    { action: "send", pattern: "*", effect: "ask" },
    { action: "mcp", pattern: "*", effect: "ask" },
    // Starting a child session needs no permission: the child asks for its own permissions.
    { action: "send", pattern: "task", effect: "allow" },
    ...allowedPaths.flatMap((path): PermissionRule[] => [
      { action: "read", pattern: `${path}/**`, effect: "allow" },
      { action: "change", pattern: `${path}/**`, effect: "ask" },
    ]),
    ...secretFiles.map((pattern): PermissionRule => ({ action: "read", pattern, effect: "ask" })),
    ...exampleFiles.map((pattern): PermissionRule => ({
      action: "read",
      pattern,
      effect: "allow",
    })),
  ];
}

/** Files that select programs which git, editors or Holdfast run later, or that contain instructions for agents. */
const configFiles = [
  ".git",
  ".gitmodules",
  ".husky",
  ".holdfast",
  "holdfast.json*",
  ".mcp.json",
  ".vscode",
  ".idea",
  ".devcontainer",
  ".envrc",
  "AGENTS.md",
  "CLAUDE.md",
  "GEMINI.md",
];

const secretFiles = [
  ".env",
  ".env.*",
  "*.env",
  ".envrc",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
  "id_{rsa,dsa,ecdsa,ed25519}",
  ".ssh",
  ".gnupg",
  ".aws",
  ".kube",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".git-credentials",
  "*credentials*.json",
  "*secret*.{json,yaml,yml,toml}",
];

const exampleFiles = [".env.{example,sample,template}"];
