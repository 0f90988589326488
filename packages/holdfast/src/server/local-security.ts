import { realpath, stat } from "node:fs/promises";
import { ApiError } from "./errors.ts";
import type { Principal, Security } from "./ports.ts";

/** In one process there is nobody to be kept out: whoever calls may do everything. */
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
    limit: () => {},
    authenticate: () => Promise.resolve(principal),
    openStream: () => () => {},
    preflight: () => null,
    decorate: () => {},
    resolveDirectory: (_, directory) => realDirectory(directory),
  };
}

/** The real path of a folder that exists. */
export async function realDirectory(directory: string): Promise<string> {
  try {
    const real = await realpath(directory);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    throw new ApiError("invalid", `there is no folder ${directory}`, {
      details: { field: "directory" },
      cause: error,
    });
  }
  throw new ApiError("invalid", `${directory} is not a folder`, {
    details: { field: "directory" },
  });
}
