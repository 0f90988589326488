import { textGlob } from "../tools/glob-pattern.ts";

const defaultPorts: Readonly<Record<string, string | undefined>> = {
  "http:": "80",
  "https:": "443",
};

/**
 * Whether a pattern is about the host of an address: `example.com`, `*.example.com` (the hosts below
 * it), `example.com:8080`, `example.com:*`; without a port it means the usual one. `*` is any address.
 */
export function hostMatches(pattern: string, address: string): boolean {
  if (pattern === "*") return true;
  const url = URL.parse(address);
  if (url === null) return false;
  const usual = defaultPorts[url.protocol] ?? "";
  const [, host = "", port] = /^(.*?)(?::(\d+|\*))?$/s.exec(pattern.toLowerCase()) ?? [];
  const own = url.port === "" ? usual : url.port;
  const isPort = port === "*" || own === (port ?? usual);
  return isPort && textGlob(host)(url.hostname.toLowerCase().replace(/\.$/, ""));
}
