import type { Server } from "node:http";
import { isLoopback } from "./security/source.ts";
import { SetupError } from "./setup-error.ts";

export const defaultPort = 4747;
/** Number of ports to try, starting with the default port. */
const tries = 20;

/**
 * Listens on the given port. Null: tries the default port and the ports after it, and then lets the system choose one.
 */
export async function listen(
  server: Server,
  address: { host: string; port: number | null },
): Promise<number> {
  const { host, port } = address;
  const last = defaultPort + tries - 1;
  for (let next = port ?? defaultPort; ; next = next < last ? next + 1 : 0) {
    try {
      return await listenOn(server, { host, port: next });
    } catch (error) {
      if (codeOf(error) === "EADDRINUSE" && port === null && next !== 0) continue;
      throw new SetupError("listen", reason(error, { host, port: next }), error);
    }
  }
}

/** Returns a URL that works for clients on this machine. */
export function localUrl(host: string, port: number): string {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** True if only programs on this machine can reach the host. */
export function isLocalHost(host: string): boolean {
  return host === "localhost" || isLoopback(host);
}

function listenOn(server: Server, address: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(error);
    server.once("error", fail);
    server.listen(address, () => {
      server.off("error", fail);
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : address.port);
    });
  });
}

function codeOf(error: unknown): string | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" ? code : null;
}

function reason(error: unknown, tried: { host: string; port: number }): string {
  const { host, port } = tried;
  const ports = `port ${port}`;
  const code = codeOf(error);
  if (code === "EADDRINUSE") {
    return `${ports} on ${host} is in use; name a free port with --port, or --port 0 for any`;
  }
  if (code === "EACCES") {
    return `${ports} on ${host} needs special rights; use a port from 1024 on`;
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return `${host} is not an address of this machine; use --host 127.0.0.1`;
  }
  return error instanceof Error ? error.message : String(error);
}
