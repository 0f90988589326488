type Environment = Readonly<Record<string, string | undefined>>;

/** Names that say by themselves that the value opens something. */
const secretName =
  /key|token|secret|passw|passphrase|credential|auth(?!or)|private|cookie|_pat$|^pat_|dsn|^holdfast_/i;

/** Services whose variables configure access and nothing that a build needs. */
const providerName =
  /^(?:anthropic|openai|azure|aws|gemini|google|gcp|gcloud|vertex|mistral|groq|openrouter|deepseek|xai|cohere|huggingface|hf|together|fireworks|github|gitlab)_/i;

const secretValue =
  /^(?:sk-|pk-|rk_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|akia|aiza|eyj[\w-]+\.)|:\/\/[^/\s]*:[^/\s]*@|-----BEGIN/i;

/** Never dropped: nothing runs without them, and none is a secret. */
const needed: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "PWD",
  "GITHUB_ACTIONS",
  "CI",
]);

/** What a command gets to see of this program's environment: no key, token or password. */
export function commandEnvironment(environment: Environment): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && isHarmless(name, value) ? [[name, value] as const] : [],
  );
  // Nobody is there to scroll, answer or admire colours.
  return {
    ...Object.fromEntries(kept),
    TERM: "dumb",
    NO_COLOR: "1",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    // In a sandbox the directory is a file system of its own, and its repository may be above it.
    GIT_DISCOVERY_ACROSS_FILESYSTEM: "1",
    // An editor that nobody sees would keep its command waiting: what it was to change stays as it is.
    EDITOR: "true",
    VISUAL: "true",
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
  };
}

/** Whether a variable, by its name and value, opens nothing. */
export function isHarmless(name: string, value: string): boolean {
  if (needed.has(name) || name.startsWith("LC_")) return true;
  return !secretName.test(name) && !providerName.test(name) && !secretValue.test(value);
}
