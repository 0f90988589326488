import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../paths.ts";

/** Files and folders in a home folder that contain keys, tokens, passwords or browser sessions. */
const inHome = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".config/gcloud",
  ".boto",
  ".s3cfg",
  ".oci",
  ".kube",
  ".docker",
  ".config/containers",
  ".config/doctl",
  ".config/rclone",
  ".config/helm",
  ".fly",
  ".vault-token",
  ".terraform.d",
  ".terraformrc",
  ".netrc",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".config/pnpm/rc",
  ".pypirc",
  ".config/pypoetry",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".m2/settings.xml",
  ".gradle/gradle.properties",
  ".nuget/NuGet",
  ".composer/auth.json",
  ".config/composer/auth.json",
  ".git-credentials",
  ".config/git/credentials",
  ".config/gh",
  ".config/glab-cli",
  ".config/hub",
  ".pgpass",
  ".my.cnf",
  ".databrickscfg",
  ".snowflake",
  ".kaggle",
  ".cache/huggingface/token",
  ".password-store",
  ".config/op",
  ".local/share/keyrings",
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".thunderbird",
  ".claude",
  ".claude.json",
  ".codex",
  ".gemini",
  ".local/share/opencode",
  ".config/github-copilot",
  ".bash_history",
  ".zsh_history",
  ".psql_history",
  ".node_repl_history",
  ".python_history",
];

/** Secrets of the machine, which a server running as root could read. */
const inSystem = ["/etc/shadow", "/etc/gshadow", "/etc/ssl/private", "/etc/letsencrypt"];

/**
 * Returns the real paths of existing credentials, which commands in the sandbox must not see. A path that contains an
 * allowed path stays visible, because the user has allowed a part of it.
 */
export function privatePaths(options: {
  readonly homes: readonly string[];
  readonly allowed: readonly string[];
}): readonly string[] {
  const { homes, allowed } = options;
  const named = [...homes.flatMap((home) => inHome.map((path) => join(home, path))), ...inSystem];
  const found = named.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  return [...new Set(found)].filter((path) => !allowed.some((place) => isInside(place, path)));
}
