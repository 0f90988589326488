type Environment = Readonly<Record<string, string | undefined>>;

/** Names of variables whose values are probably secret. */
const secretName =
  /key|token|secret|passw|passphrase|credential|auth(?!or)|private|cookie|_pat$|^pat_|dsn|^holdfast_/i;

/** Names of variables that configure access to services. Builds do not need them. */
const providerName =
  /^(?:anthropic|openai|azure|aws|gemini|google|gcp|gcloud|vertex|mistral|groq|openrouter|deepseek|xai|cohere|huggingface|hf|together|fireworks|github|gitlab)_/i;

const secretValue =
  /^(?:sk-|pk-|rk_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|akia|aiza|eyj[\w-]+\.)|:\/\/[^/\s]*:[^/\s]*@|-----BEGIN/i;

/** Variables that are always inherited: most programs need them, and none is secret. */
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

/** Variables that configure a proxy or an additional certificate authority. */
const network =
  "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy " +
  "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE";

/** True for a variable that a program needs to reach the internet, unless its value contains a password. */
export function isNetworkSetting(name: string, value: string): boolean {
  return network.split(" ").includes(name) && !secretValue.test(value);
}

/** Further variables that builds and tests commonly need. None is secret. */
const usual: ReadonlySet<string> = new Set(
  (
    "NODE_ENV NODE_OPTIONS NODE_PATH NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR PNPM_HOME BUN_INSTALL " +
    "DENO_DIR DENO_INSTALL PLAYWRIGHT_BROWSERS_PATH PUPPETEER_EXECUTABLE_PATH CHROME_BIN " +
    "JAVA_HOME JDK_HOME M2_HOME MAVEN_HOME MAVEN_OPTS GRADLE_HOME GRADLE_USER_HOME GRADLE_OPTS ANDROID_HOME " +
    "ANDROID_SDK_ROOT DOTNET_ROOT NUGET_PACKAGES " +
    "GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS GOPROXY GOPRIVATE GOOS GOARCH CGO_ENABLED " +
    "CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS RUST_BACKTRACE " +
    "PYTHONPATH PYTHONHOME PYTHONUNBUFFERED VIRTUAL_ENV PYENV_ROOT PYENV_VERSION CONDA_PREFIX CONDA_DEFAULT_ENV " +
    "CONDA_EXE POETRY_HOME UV_CACHE_DIR PIP_INDEX_URL PIP_CACHE_DIR " +
    "GEM_HOME GEM_PATH BUNDLE_PATH RBENV_ROOT RUBYLIB RUBYOPT RAILS_ENV RACK_ENV PERL5LIB COMPOSER_HOME " +
    "CC CXX CPP AR LD CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LD_LIBRARY_PATH LIBRARY_PATH C_INCLUDE_PATH CPATH " +
    "PKG_CONFIG_PATH MAKEFLAGS CMAKE_PREFIX_PATH CMAKE_GENERATOR SDKROOT CUDA_HOME " +
    "NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE HOMEBREW_PREFIX HOMEBREW_CELLAR ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR " +
    `${network} NPM_CONFIG_REGISTRY npm_config_registry ` +
    "XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME DEBUG LOG_LEVEL SOURCE_DATE_EPOCH " +
    "DEBIAN_FRONTEND GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL"
  ).split(" "),
);

/**
 * Builds the environment of a command: variables that are known to be harmless, and variables that the config lists. A
 * variable that builds and tests commonly need (`usual`) is left out if its value looks like a key or a URL with a
 * password.
 */
export function commandEnvironment(
  environment: Environment,
  variables: readonly string[] = [],
): Record<string, string> {
  const isPassed = (name: string, value: string): boolean =>
    variables.includes(name) ||
    needed.has(name) ||
    name.startsWith("LC_") ||
    (usual.has(name) && !secretValue.test(value));
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && isPassed(name, value) ? [[name, value] as const] : [],
  );
  // Commands run without a terminal, so disable colors, pagers and prompts.
  return {
    ...Object.fromEntries(kept),
    TERM: "dumb",
    NO_COLOR: "1",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    // In a sandbox the directory is a separate mount. Let git find a repository in a parent folder across the mount.
    GIT_DISCOVERY_ACROSS_FILESYSTEM: "1",
    // An editor would wait forever for input, so use a program that changes nothing.
    EDITOR: "true",
    VISUAL: "true",
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
  };
}

/** True if neither the name nor the value suggests a secret. */
export function isHarmless(name: string, value: string): boolean {
  if (needed.has(name) || name.startsWith("LC_")) return true;
  return !secretName.test(name) && !providerName.test(name) && !secretValue.test(value);
}
