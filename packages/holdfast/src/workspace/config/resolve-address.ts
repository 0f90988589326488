import type { Resolving } from "./resolving.ts";
import type { KeyPath } from "./source.ts";

/** Whether it is an http address. A password in it is kept as a secret. */
export function checkAddress(path: KeyPath, address: string, resolving: Resolving): boolean {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    resolving.error(path, "must be an http address, such as http://localhost:8080/v1");
    return false;
  }
  if (url.password !== "") {
    resolving.secrets.push(url.password);
    try {
      resolving.secrets.push(decodeURIComponent(url.password));
    } catch {
      // As it stands it is kept already.
    }
  }
  return true;
}

export function checkHeaders(
  path: KeyPath,
  headers: Readonly<Record<string, string>>,
  resolving: Resolving,
): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      resolving.error([...path, name], "is no name of a header");
    }
    if (/[\0\r\n]/.test(value)) {
      resolving.error([...path, name], "must be one line, without control characters");
    }
  }
}
