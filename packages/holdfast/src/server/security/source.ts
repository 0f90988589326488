import { isIP } from "node:net";

/** Host names of this server, and origins of pages that may call it. */
export interface SourcePolicy {
  /** True if the server listens only on loopback. Any other IP address in the Host header is then refused. */
  readonly loopbackOnly: boolean;
  /** Host names besides localhost, such as that of a proxy: lower case, without a port. */
  readonly names: readonly string[];
  /** Exact origins of other pages that may call the server, such as `https://example.org`. */
  readonly origins: readonly string[];
}

export interface SourceProblem {
  readonly code: "badHost" | "badOrigin";
  readonly message: string;
}

/**
 * Refuses pages of other sites that reach this server through a user's browser: by a host name that resolves to this
 * address (DNS rebinding), or by a cross-origin request. Programs other than browsers send neither Origin nor
 * Sec-Fetch-Site; they need a token.
 */
export function checkSource(request: Request, policy: SourcePolicy): SourceProblem | null {
  const { headers } = request;
  const host = headers.get("host") ?? new URL(request.url).host;
  if (!isOwnHost(host, policy)) {
    const advice = "use its IP address, or start the server with --public-url";
    return {
      code: "badHost",
      message: `this server does not answer to the name ${shown(host)}; ${advice}`,
    };
  }
  const origin = headers.get("origin");
  if (origin !== null) {
    if (originHost(origin) === host.toLowerCase() || policy.origins.includes(origin)) return null;
    const advice = "allow the origin with --allow-origin";
    return {
      code: "badOrigin",
      message: `pages of ${shown(origin)} may not call this server; ${advice}`,
    };
  }
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none" || isVisit(request)) return null;
  return {
    code: "badOrigin",
    message: "pages of other sites may not load anything from this server",
  };
}

/**
 * True if a user follows a link to a page. This is allowed: it changes nothing, and other sites cannot read the page.
 */
function isVisit({ method, headers }: Request): boolean {
  const isWholePage =
    headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  return method === "GET" && isWholePage;
}

/**
 * True if this is a host name of the server. Ignores the port, because tunnels change it, and DNS rebinding depends
 * only on the host name.
 */
function isOwnHost(host: string, { loopbackOnly, names }: SourcePolicy): boolean {
  const name = nameOf(host);
  if (name === null) return false;
  if (name === "localhost" || isLoopback(name) || names.includes(name)) return true;
  return !loopbackOnly && isIP(name) !== 0;
}

const hostPattern = /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<name>[a-z0-9._-]+))(?::\d{1,5})?$/;

/** Returns the name or address in a Host header, without the port; null if the header is invalid. */
function nameOf(host: string): string | null {
  const groups = hostPattern.exec(host.toLowerCase())?.groups;
  return groups?.["six"] ?? groups?.["name"]?.replace(/\.$/, "") ?? null;
}

export function isLoopback(address: string): boolean {
  if (isIP(address) === 4) return address.startsWith("127.");
  return address === "::1" || address.startsWith("::ffff:127.");
}

function originHost(origin: string): string | null {
  return /^https?:\/\/(?<host>[^/]+)$/.exec(origin.toLowerCase())?.groups?.["host"] ?? null;
}

/** Shortens and escapes untrusted text for error messages. */
function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
