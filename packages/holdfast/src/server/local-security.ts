import type { Principal, Security } from "./ports.ts";
import { resolveDirectory } from "./security/directories.ts";

/** Creates the security for in-process callers: every caller has all permissions. */
export function localSecurity(): Security {
  const principal: Principal = {
    tokenId: null,
    name: "local",
    role: "admin",
    directories: null,
    actor: { kind: "client", id: "local" },
    revoked: new AbortController().signal,
  };
  return {
    checkOrigin: () => {},
    limit: () => Promise.resolve(),
    authenticate: () => Promise.resolve(principal),
    quota: () => Promise.resolve(null),
    openStream: () => () => {},
    preflight: () => null,
    decorate: () => {},
    resolveDirectory,
  };
}
