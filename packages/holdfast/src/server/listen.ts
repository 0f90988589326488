import type { Server } from "node:http";
import { isLoopback } from "./security/source.ts";
import { SetupError } from "./setup-error.ts";

const defaultPort = 4747;
/** How many ports after the default one are tried. */
const tries = 20;

/** Listens on the port, or, when none was asked for, on the first free one from the default on. */
export async function listen(
  server: Server,
  address: { host: string; port: number | null },
): Promise<number> {
  const { host, port } = address;
  const first = port ?? defaultPort;
  const last = port ?? defaultPort + tries - 1;
  for (let next = first; ; next += 1) {
    try {
      return await listenOn(server, { host, port: next });
    } catch (error) {
      if (codeOf(error) === "EADDRINUSE" && next < last) continue;
      throw new SetupError("listen", reason(error, { host, first, last }), error);
    }
  }
}

/** An address that a client on this machine can use. */
export function localUrl(host: string, port: number): string {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Whether only programs on this machine can reach it. */
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

function reason(error: unknown, tried: { host: string; first: number; last: number }): string {
  const { host, first, last } = tried;
  const ports = first === last ? `port ${first}` : `each port from ${first} to ${last}`;
  const code = codeOf(error);
  if (code === "EADDRINUSE") {
    return `${ports} on ${host} is taken; name a free one with --port, or 0 for any`;
  }
  if (code === "EACCES") {
    return `${ports} on ${host} may not be listened on; ports from 1024 on are for everybody`;
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return `${host} is no address of this machine; 127.0.0.1 always is`;
  }
  return error instanceof Error ? error.message : String(error);
}
