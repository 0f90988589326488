import { isIP } from "node:net";
import { ApiError } from "../errors.ts";
import type { ServerLimits } from "../limits.ts";
import type { Links, Principal, Security, Source, Tokens } from "../ports.ts";
import { createAgentGrants } from "./agent-grants.ts";
import type { AgentGrants } from "./agent-grants.ts";
import { createBuckets, createStreamCount } from "./buckets.ts";
import type { Buckets } from "./buckets.ts";
import { resolveDirectory } from "./directories.ts";
import { cookieName, cookieOf, corsHeaders, preflightHeaders, securityHeaders } from "./headers.ts";
import { createKnownTokens } from "./known-tokens.ts";
import type { KnownToken, Presented } from "./known-tokens.ts";
import { createLinks } from "./links.ts";
import { createQuotas } from "./quotas.ts";
import type { QuotaLimits } from "./quotas.ts";
import { checkSource } from "./source.ts";
import type { SourcePolicy } from "./source.ts";
import type { Records } from "./token-record.ts";
import { createTokens } from "./tokens.ts";

export interface SecurityOptions {
  readonly records: Records;
  /** Milliseconds after which a token is read again, to notice that another process has revoked it. */
  readonly tokensFreshFor: number;
  readonly source: SourcePolicy;
  readonly limits: Pick<
    ServerLimits,
    "tokenRate" | "strangerRate" | "maxStreams" | "maxStreamsPerToken"
  >;
  readonly quotas: () => Promise<QuotaLimits>;
  /** URL of this server for browsers, used in links. */
  readonly publicUrl: string;
  readonly port: number;
  /** True if a real path is inside Holdfast's own data or config folders. */
  readonly isGuarded: (directory: string) => Promise<boolean>;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

export interface SecurityServices {
  readonly security: Security;
  readonly tokens: Tokens;
  readonly links: Links;
  readonly agents: AgentGrants;
  close(): Promise<void>;
}

/** Authenticates requests and applies rate limits, quotas and directory limits. */
export function createSecurity(options: SecurityOptions): SecurityServices {
  const { records, source, limits, publicUrl, port, now, onError } = options;
  const streams = createStreamCount({
    perClient: limits.maxStreamsPerToken,
    total: limits.maxStreams,
  });
  const known = createKnownTokens({
    records,
    now,
    freshFor: options.tokensFreshFor,
    isHeld: (tokenId) => streams.has(tokenId),
    onError,
  });
  const ofTokens = limits.tokenRate === null ? null : createBuckets(limits.tokenRate, now);
  const ofStrangers = limits.strangerRate === null ? null : createBuckets(limits.strangerRate, now);
  const quotas = createQuotas({ records, limits: options.quotas, now, onError });
  const cookie = cookieName(port);
  const grants = createAgentGrants();

  const security: Security = {
    checkOrigin: (request) => {
      const problem = checkSource(request, source);
      if (problem !== null) throw new ApiError(problem.code, problem.message);
    },
    limit: async (request, from) => {
      const presented = presentedBy(request, cookie);
      const agent = presented === null ? null : grants.find(presented);
      const tokenId =
        agent?.tokenId ?? (presented === null ? null : await known.recognize(presented));
      if (tokenId === null) count(ofStrangers, addressOf(from));
      else count(ofTokens, tokenId);
    },
    authenticate: async (request, from) => {
      const presented = presentedBy(request, cookie);
      const agent = presented === null ? null : grants.find(presented);
      if (agent !== null) {
        count(ofTokens, agent.tokenId ?? "");
        return agent;
      }
      const found = presented === null ? null : await known.find(presented);
      if (found === null) {
        count(ofStrangers, addressOf(from));
        throw unauthorized(presented !== null);
      }
      count(ofTokens, found.token.tokenId);
      return principalOf(found, request.headers.get("x-holdfast-client"));
    },
    // Admins have no quota: they could raise it, or create another token.
    quota: ({ tokenId, role }) =>
      tokenId === null || role === "admin" ? Promise.resolve(null) : quotas.of(tokenId),
    openStream: ({ tokenId }) => {
      const end = streams.open(tokenId ?? "");
      if (end !== null) return end;
      throw new ApiError(
        "tooManyStreams",
        "too many event streams are open; close some, then try again",
        {
          headers: { "retry-after": "5" },
        },
      );
    },
    preflight: (request) => {
      const cors = corsHeaders(request, source.origins);
      if (cors.length === 0 || !request.headers.has("access-control-request-method")) return null;
      const headers = new Headers();
      set(headers, [...cors, ...preflightHeaders]);
      return new Response(null, { status: 204, headers });
    },
    decorate: (request, headers) => {
      set(headers, securityHeaders);
      set(headers, corsHeaders(request, source.origins));
      if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
    },
    resolveDirectory: async (principal, directory) => {
      const real = await resolveDirectory(principal, directory);
      if (!(await options.isGuarded(real))) return real;
      const message = `${JSON.stringify(directory)} contains Holdfast's own data or config`;
      throw new ApiError("forbidden", `${message}. Name another directory.`);
    },
  };
  const links = createLinks({
    records,
    publicUrl,
    cookie,
    now,
    onSignedOut: (tokenId) => known.end(tokenId),
  });
  const tokens = createTokens({
    records,
    now,
    usedAt: (tokenId) => known.usedAt(tokenId),
    onRevoked: (tokenId) => known.end(tokenId),
  });
  const close = async (): Promise<void> => {
    await known.close();
    await quotas.close();
  };
  return { security, tokens, links, agents: grants, close };
}

/**
 * Returns the secrets that a request has sent. The Authorization header takes precedence over the cookie, even if it is
 * invalid. Secrets in the URL are ignored.
 */
function presentedBy(request: Request, cookie: string): Presented | null {
  const header = request.headers.get("authorization");
  if (header !== null) {
    const secret = /^Bearer +(?<secret>\S+) *$/i.exec(header)?.groups?.["secret"];
    return { kind: "token", secret: secret ?? "" };
  }
  const secret = cookieOf(request, cookie);
  const key = request.headers.get("x-holdfast-key") ?? "";
  return secret === null ? null : { kind: "browser", secret, key };
}

function unauthorized(wasShown: boolean): ApiError {
  const message = wasShown
    ? "This token or browser session is unknown, revoked or expired. Use another token, or sign in again."
    : "A token is required. Send the header `Authorization: Bearer <token>`.";
  return new ApiError("unauthorized", message, { headers: { "www-authenticate": "Bearer" } });
}

function principalOf({ token, revoked }: KnownToken, client: string | null): Principal {
  const { tokenId, name, role, directories } = token;
  if (client !== null && !/^[A-Za-z0-9._@+/-]{1,64}$/.test(client)) {
    const advice = "1 to 64 letters, digits and . _ @ + / -";
    throw new ApiError("invalid", `x-holdfast-client must be ${advice}`);
  }
  const id = client === null ? name : `${name}/${client}`;
  return { tokenId, name, role, directories, actor: { kind: "client", id }, revoked };
}

function count(buckets: Buckets | null, client: string): void {
  const wait = buckets?.take(client) ?? 0;
  if (wait === 0) return;
  const after = Math.ceil(wait / 1000);
  throw new ApiError("rateLimited", `too many requests; try again in ${after} s`, {
    headers: { "retry-after": String(after) },
  });
}

/**
 * Returns the address for which requests are counted. A machine with IPv6 usually has a whole /64 network, which counts
 * as one client.
 */
function addressOf({ address }: Source): string {
  if (address === null || isIP(address) !== 6 || address.startsWith("::")) return address ?? "";
  return address.split(":").slice(0, 4).join(":");
}

function set(headers: Headers, entries: readonly (readonly [name: string, value: string])[]): void {
  for (const [name, value] of entries) headers.set(name, value);
}
