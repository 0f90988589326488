/** The servers that belong to a Copilot address. */
export interface GithubHosts {
  /** URL of the website where people sign in. */
  readonly web: string;
  /** URL of the API that exchanges tokens. */
  readonly api: string;
  /** True for hosts to which Copilot tokens may be sent. */
  readonly isOwn: (host: string) => boolean;
}

/**
 * Returns the servers for a Copilot address: those of github.com, those of a GHE.com domain (`copilot-api.DOMAIN`), or
 * the given server for all purposes.
 */
export function githubHosts(baseUrl: string): GithubHosts {
  const { origin, hostname, host } = new URL(baseUrl);
  if (hostname === "githubcopilot.com" || hostname.endsWith(".githubcopilot.com")) {
    return {
      web: "https://github.com",
      api: "https://api.github.com",
      isOwn: (other) => other.endsWith(".githubcopilot.com"),
    };
  }
  const domain = /^copilot-api\.(.+)$/.exec(hostname)?.[1];
  if (domain === undefined) return { web: origin, api: origin, isOwn: (other) => other === host };
  return {
    web: `https://${domain}`,
    api: `https://api.${domain}`,
    isOwn: (other) => other.endsWith(`.${domain}`),
  };
}
