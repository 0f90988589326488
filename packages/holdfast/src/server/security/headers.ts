/**
 * What every answer carries. The page may load scripts, styles and pictures from this server alone,
 * nobody may put it into a frame, and no address of it, with whatever code, is passed on.
 */
export const securityHeaders: readonly (readonly [name: string, value: string])[] = [
  [
    "content-security-policy",
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
      "img-src 'self' data:; object-src 'none'; style-src 'self' 'unsafe-inline'",
  ],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
];

/**
 * For the web page: it loads its own files and nothing else. No script and no style stands in the
 * page itself, so what a model or a tool says cannot become one.
 */
export const webPagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** For a page that may call: only those that were named, and never with cookies. */
export function corsHeaders(
  request: Request,
  origins: readonly string[],
): readonly (readonly [name: string, value: string])[] {
  const origin = request.headers.get("origin");
  if (origin === null || !origins.includes(origin)) return [];
  return [
    ["access-control-allow-origin", origin],
    ["access-control-expose-headers", "x-request-id, retry-after"],
    ["cross-origin-resource-policy", "cross-origin"],
    ["vary", "origin"],
  ];
}

/** What such a page may send. */
export const preflightHeaders: readonly (readonly [name: string, value: string])[] = [
  ["access-control-allow-methods", "GET, POST, PATCH, DELETE"],
  [
    "access-control-allow-headers",
    "authorization, content-type, last-event-id, x-holdfast-client, x-request-id",
  ],
  ["access-control-max-age", "600"],
];

/** Browsers keep one jar for all ports of a host: the name keeps two servers' cookies apart. */
export function cookieName(port: number): string {
  return `holdfast-${port}`;
}

export function cookieOf(request: Request, name: string): string | null {
  for (const part of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name) return value ?? null;
  }
  return null;
}

/** Scripts can't read it, and no other site's page makes the browser send it. */
export function cookieHeader(options: {
  name: string;
  value: string;
  maxAge: number;
  isSecure: boolean;
}): string {
  const { name, value, maxAge, isSecure } = options;
  const secure = isSecure ? "; Secure" : "";
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`;
}
