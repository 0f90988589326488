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
