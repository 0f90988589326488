import { isIP } from "node:net";
import { ApiError } from "../errors.ts";
import type { ServerLimits } from "../limits.ts";
import type { Links, Principal, Security, Source, Tokens } from "../ports.ts";
import { createBuckets } from "./buckets.ts";
import type { Buckets } from "./buckets.ts";
import { createCodes } from "./codes.ts";
import { cookieHeader, cookieName, cookieOf } from "./cookie.ts";
import { resolveDirectory } from "./directories.ts";
import { corsHeaders, preflightHeaders, securityHeaders } from "./headers.ts";
import { createKnownTokens } from "./known-tokens.ts";
import type { KnownToken } from "./known-tokens.ts";
import { checkSource, isFromOwnPage } from "./source.ts";
import type { SourcePolicy } from "./source.ts";
import { createStreamCount } from "./stream-count.ts";
import { addToken, isGood, readToken } from "./token-record.ts";
import type { Records } from "./token-record.ts";
import { createTokens } from "./tokens.ts";

export interface SecurityOptions {
  readonly records: Records;
  readonly source: SourcePolicy;
  readonly limits: Pick<
    ServerLimits,
    "tokenRate" | "strangerRate" | "maxStreams" | "maxStreamsPerToken"
  >;
  /** Where browsers find this server: links lead there. */
  readonly publicUrl: string;
  readonly port: number;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

export interface SecurityParts {
  readonly security: Security;
  readonly tokens: Tokens;
  readonly links: Links;
  close(): void;
}

/** Who may send what: the one place where a request becomes somebody's. */
export function createSecurity(options: SecurityOptions): SecurityParts {
  const { records, source, limits, publicUrl, port, now, onError } = options;
  const streams = createStreamCount({
    perClient: limits.maxStreamsPerToken,
    total: limits.maxStreams,
  });
  const known = createKnownTokens({
    records,
    now,
    freshFor: 1_000,
    isHeld: (tokenId) => streams.has(tokenId),
    onError,
  });
  const ofTokens = limits.tokenRate === null ? null : createBuckets(limits.tokenRate, now);
  const ofStrangers = limits.strangerRate === null ? null : createBuckets(limits.strangerRate, now);
  const cookie = cookieName(port);

  const security: Security = {
    checkOrigin: (request) => {
      const problem = checkSource(request, source);
      if (problem !== null) throw new ApiError(problem.code, problem.message);
    },
    limit: async (request, from) => {
      const shown = secretOf(request, cookie);
      const found = shown === null ? null : await known.find(shown.secret);
      if (found === null) count(ofStrangers, addressOf(from));
      else count(ofTokens, found.token.tokenId);
    },
    authenticate: async (request, from) => {
      const shown = secretOf(request, cookie);
      const found = shown === null ? null : await known.find(shown.secret);
      if (shown === null || found === null) {
        count(ofStrangers, addressOf(from));
        throw unauthorized(shown !== null);
      }
      count(ofTokens, found.token.tokenId);
      if (shown.byCookie && changes(request) && !isFromOwnPage(request)) {
        throw new ApiError("badOrigin", "a browser must say that its own page sends this");
      }
      return principalOf(found, request.headers.get("x-holdfast-client"));
    },
    openStream: ({ tokenId }) => {
      const end = streams.open(tokenId ?? "");
      if (end !== null) return end;
      throw new ApiError("tooManyStreams", "too many event streams are open; end some", {
        headers: { "retry-after": "5" },
      });
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
    resolveDirectory,
  };
  const codes = createCodes({ records, validFor: linkLife, now });
  const links: Links = {
    create: async ({ tokenId }) => {
      const { code, expiresAt } = await codes.create(tokenId ?? "");
      return { url: `${publicUrl}/open?code=${code}`, expiresAt };
    },
    open: async (code) => {
      const tokenId = await codes.redeem(code);
      const owner = tokenId === null ? null : await readToken(records, tokenId);
      if (owner === null || !isGood(owner, now())) {
        const advice = "get a new one with `holdfast link`";
        throw new ApiError("badLink", `this link was used already, or is too old; ${advice}`);
      }
      const { secret } = await addToken(records, {
        name: `${owner.name}/web`,
        role: owner.role,
        directories: owner.directories,
        createdAt: now(),
        createdBy: owner.name,
        expiresAt: now() + cookieLife,
        kind: "web",
      });
      const isSecure = publicUrl.startsWith("https:");
      const maxAge = cookieLife / 1000;
      return { cookie: cookieHeader({ name: cookie, value: secret, maxAge, isSecure }) };
    },
  };
  const tokens = createTokens({ records, now, onRevoked: (tokenId) => known.end(tokenId) });
  return { security, tokens, links, close: () => known.close() };
}

/** How long a link can be opened. */
const linkLife = 5 * 60_000;
/** How long a browser stays logged in. */
const cookieLife = 30 * 24 * 60 * 60_000;

/** A token that is shown wins over the cookie, also when it is no good. Never from the address. */
function secretOf(request: Request, cookie: string): { secret: string; byCookie: boolean } | null {
  const header = request.headers.get("authorization");
  if (header !== null) {
    const secret = /^Bearer +(?<secret>\S+) *$/i.exec(header)?.groups?.["secret"];
    return { secret: secret ?? "", byCookie: false };
  }
  const secret = cookieOf(request, cookie);
  return secret === null ? null : { secret, byCookie: true };
}

function unauthorized(wasShown: boolean): ApiError {
  const message = wasShown
    ? "this token is unknown, revoked or expired"
    : "a token is needed: send the header `Authorization: Bearer <token>`";
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

function changes({ method }: Request): boolean {
  return method !== "GET" && method !== "HEAD";
}

function count(buckets: Buckets | null, client: string): void {
  const wait = buckets?.take(client) ?? 0;
  if (wait === 0) return;
  const after = Math.ceil(wait / 1000);
  throw new ApiError("rateLimited", `too many requests; try again in ${after} s`, {
    headers: { "retry-after": String(after) },
  });
}

/** Machines with IPv6 have a whole network of addresses: it counts as one client. */
function addressOf({ address }: Source): string {
  if (address === null || isIP(address) !== 6 || address.startsWith("::")) return address ?? "";
  return address.split(":").slice(0, 4).join(":");
}

function set(headers: Headers, entries: readonly (readonly [name: string, value: string])[]): void {
  for (const [name, value] of entries) headers.set(name, value);
}
