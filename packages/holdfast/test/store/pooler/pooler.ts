import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { createFrames, errorResponse, frame, readStartup } from "./frames.ts";

export interface Pooler {
  readonly port: number;
  close(): Promise<void>;
}

export interface PoolerOptions {
  /** Port of PostgreSQL. */
  readonly target: number;
  /** `full`: no client is let in. */
  readonly mode: "session" | "transaction" | "full";
}

/**
 * A connection pooler that behaves as PgBouncer does where Holdfast can notice it: it refuses startup parameters that it
 * does not track, invents the process id of a connection, and in transaction mode shares one backend among its clients.
 */
export async function startPooler(options: PoolerOptions): Promise<Pooler> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
  };
  const backend = (startup: Buffer): Socket => {
    const socket = track(connect(options.target, "127.0.0.1"));
    socket.write(startup);
    return socket;
  };
  const shared = createSharedBackend(backend);
  const server = createServer((client) => {
    track(client);
    client.once("data", (startup) => {
      const refused = refusal(options, startup);
      if (refused !== null) client.end(errorResponse("08P01", refused));
      else if (options.mode === "session") passOn(client, backend(startup));
      else shared.add(client, startup);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

const tracked = new Set(["user", "database", "client_encoding", "application_name"]);

function refusal({ mode }: PoolerOptions, startup: Buffer): string | null {
  if (mode === "full") return "no more connections allowed (max_client_conn)";
  const unknown = Object.keys(readStartup(startup)).find((name) => !tracked.has(name));
  return unknown === undefined ? null : `unsupported startup parameter: ${unknown}`;
}

function passOn(client: Socket, backend: Socket): void {
  client.on("data", (data) => backend.write(data)).on("close", () => backend.destroy());
  backend.on("close", () => client.destroy());
  const frames = createFrames();
  backend.on("data", (data) => {
    for (const each of frames(data)) client.write(each.type === "K" ? inventedKey : each.bytes);
  });
}

/** BackendKeyData: an invented process id and secret. */
const inventedKey = frame("K", Buffer.from([0, 0, 0, 1, 0, 0, 0, 1]));

interface Waiting {
  readonly client: Socket;
  readonly bytes: Buffer;
}

/** One backend for all clients, which serves each until its transaction has ended. */
function createSharedBackend(open: (startup: Buffer) => Socket): {
  add: (client: Socket, startup: Buffer) => void;
} {
  const queue: Waiting[] = [];
  let backend: Socket | null = null;
  let greeting: Buffer[] | null = null;
  let serving: Socket | null = null;
  const strangers: Socket[] = [];
  const greet = (client: Socket): void => {
    if (greeting === null) strangers.push(client);
    else for (const bytes of greeting) client.write(bytes);
  };
  const serve = (): void => {
    for (let at = 0; at < queue.length; at += 1) {
      const next = queue[at];
      if (next === undefined || (serving !== null && serving !== next.client)) continue;
      serving = next.client;
      backend?.write(next.bytes);
      queue.splice(at, 1);
      at -= 1;
    }
  };
  const start = (startup: Buffer): Socket => {
    const frames = createFrames();
    const first: Buffer[] = [];
    return open(startup).on("data", (data) => {
      for (const { type, bytes } of frames(data)) {
        if (greeting === null) first.push(type === "K" ? inventedKey : bytes);
        else serving?.write(bytes);
        if (type !== "Z") continue;
        if (greeting === null) {
          greeting = first;
          for (const client of strangers) greet(client);
        } else if (bytes.at(-1) === idle) {
          serving = null;
          serve();
        }
      }
    });
  };
  return {
    add: (client, startup) => {
      backend ??= start(startup);
      greet(client);
      const frames = createFrames();
      client.on("data", (data) => {
        for (const { type, bytes } of frames(data)) {
          if (type !== "X") queue.push({ client, bytes });
        }
        serve();
      });
    },
  };
}

/** Transaction status in ReadyForQuery: the letter I. */
const idle = 0x49;
