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
 * Returns the GitHub servers for a Copilot address: those of github.com, or those of a GHE.com domain
 * (`copilot-api.DOMAIN`). For any other address, the server at that address is used for everything, including the
 * sign-in.
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
