/** The path of a route with its parameters and query. */
export interface Address {
  readonly path: string;
  readonly params?: Readonly<Record<string, string | number>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

/** Builds the complete URL. If a proxy is in front of the server, `url` may contain a path. */
export function addressOf(url: string, { path, params = {}, query = {} }: Address): string {
  const filled = path.replaceAll(/\{(?<name>\w+)\}/g, (_, name: string) =>
    segment(name, String(params[name] ?? "")),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each));
  }
  const question = search.size === 0 ? "" : `?${search.toString()}`;
  return `${url.replace(/\/+$/, "")}${filled}${question}`;
}

/**
 * Rejects ids that consist only of dots: URL parsers treat such segments as "this folder" or "parent folder", even if
 * escaped.
 */
function segment(name: string, value: string): string {
  if (value !== "" && value !== "." && value !== "..") return encodeURIComponent(value);
  throw new TypeError(`${name} must not be ${JSON.stringify(value)}`);
}
