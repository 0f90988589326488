import { isIP } from "node:net";

/** Which names this server answers to, and which web pages may call it. */
export interface SourcePolicy {
  /** Bound to loopback: then even an address other than loopback's is somebody's trick. */
  readonly loopbackOnly: boolean;
  /** Names besides localhost, as a proxy passes them on: lower case, without a port. */
  readonly names: readonly string[];
  /** Other pages' exact origins that may call: `https://example.org`. */
  readonly origins: readonly string[];
}

export interface SourceProblem {
  readonly code: "badHost" | "badOrigin";
  readonly message: string;
}

/**
 * A page of somebody else's must not reach this server through the browser of its user: neither by
 * a name of its own that leads to this address (DNS rebinding), nor by a request across origins.
 * Programs send neither Origin nor Sec-Fetch-Site, and have their token to show.
 */
export function checkSource(request: Request, policy: SourcePolicy): SourceProblem | null {
  const { headers } = request;
  const host = headers.get("host") ?? new URL(request.url).host;
  if (!isOwnHost(host, policy)) {
    const advice = "call it by its address, or start it with --public-url";
    return {
      code: "badHost",
      message: `this server does not answer to the name ${shown(host)}; ${advice}`,
    };
  }
  const origin = headers.get("origin");
  if (origin !== null) {
    if (originHost(origin) === host.toLowerCase() || policy.origins.includes(origin)) return null;
    const advice = "allow them with --allow-origin";
    return {
      code: "badOrigin",
      message: `pages of ${shown(origin)} may not call this server; ${advice}`,
    };
  }
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none" || isVisit(request)) return null;
  return { code: "badOrigin", message: "other pages may not load anything from this server" };
}

/** Somebody follows a link to a whole page: it changes nothing, and nobody else sees the answer. */
function isVisit({ method, headers }: Request): boolean {
  const isWholePage =
    headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  return method === "GET" && isWholePage;
}

/** The port is left alone: a tunnel has another one, and a name is what rebinding needs. */
function isOwnHost(host: string, { loopbackOnly, names }: SourcePolicy): boolean {
  const name = nameOf(host);
  if (name === null) return false;
  if (name === "localhost" || isLoopback(name) || names.includes(name)) return true;
  return !loopbackOnly && isIP(name) !== 0;
}

const hostPattern = /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<name>[a-z0-9._-]+))(?::\d{1,5})?$/;

/** A Host header's name or address, without its port; null for what is neither. */
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

/** What a stranger has sent goes into messages cut short and without control characters. */
function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
