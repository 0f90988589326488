/**
 * Security headers of every response. Pages may load scripts, styles and images only from this server, cannot be
 * framed, and do not reveal their address to other sites.
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
 * Content security policy of the web page. The page loads only files of this server and allows no inline script or
 * style, so that text from a model or a tool is never executed.
 */
export const webPagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
  "font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Returns CORS headers for pages of allowed origins. They allow no cookies. */
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

/** CORS headers with the methods and headers that pages of allowed origins may send. */
export const preflightHeaders: readonly (readonly [name: string, value: string])[] = [
  ["access-control-allow-methods", "GET, POST, PATCH, DELETE"],
  [
    "access-control-allow-headers",
    "authorization, content-type, last-event-id, x-holdfast-client, x-request-id",
  ],
  ["access-control-max-age", "600"],
];

/** Returns the name of the cookie. It contains the port, because browsers share cookies among all ports of a host. */
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

/**
 * Builds the cookie header. Scripts cannot read the cookie, and browsers do not send it with requests from other
 * sites.
 */
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
