/** Where a request goes: a path as in the route table, and what fills it. */
export interface Address {
  readonly path: string;
  readonly params?: Readonly<Record<string, string | number>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

/** The whole URL. The server may live below a path of its own, behind a proxy. */
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

/** URL parsers take dots as steps between folders, even escaped: such an id would go astray. */
function segment(name: string, value: string): string {
  if (value !== "" && value !== "." && value !== "..") return encodeURIComponent(value);
  throw new TypeError(`${name} must not be ${JSON.stringify(value)}`);
}
