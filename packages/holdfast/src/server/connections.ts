import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { lateRequest, refuseSocket } from "./early-answer.ts";
import type { ServerLimits } from "./limits.ts";
import { isLoopback } from "./security/source.ts";

export interface Connections {
  /** Starts to track and limit the server's connections. */
  watch(server: Server): void;
  isRefused(socket: Socket): boolean;
  count(): number;
  /** Returns the monotonic time at which the last connection was closed; `Infinity` while a connection is open. */
  lastUse(): number;
  /** Closes idle connections now, and other connections after their response. */
  close(): void;
}

interface Connection {
  readonly address: string;
  /** The response in progress; null between requests. */
  answer: ServerResponse | null;
  /** Bytes that had been sent at the last check that found progress. */
  left: number;
  /** Time of that check, in milliseconds of `performance.now()`. */
  since: number;
  /** The last request, whose body may still be arriving. */
  incoming: IncomingMessage | null;
  /** Bytes that had been received when the current `bodyTimeout` period began. */
  read: number;
  /** Start of the current `bodyTimeout` period, in milliseconds of `performance.now()`. */
  readSince: number;
}

/**
 * Limits the number of connections. At the limit, a new connection replaces the one that has been idle for longest, so
 * that idle connections cannot lock anyone out. If none is idle, the new connection gets an error. Also closes
 * connections whose client does not read the response, because unread data uses memory, and connections whose request
 * body arrives too slowly.
 */
export function createConnections(limits: ServerLimits): Connections {
  /** Open connections by the time of their last request, oldest first. */
  const open = new Map<Socket, Connection>();
  const refused = new WeakSet<Socket>();
  let isClosing = false;
  let lastUse = performance.now();

  const makeRoom = (): boolean => {
    for (const [socket, { answer }] of open) {
      if (answer !== null) continue;
      open.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  };
  /**
   * True if an address has too many connections. Loopback addresses are exempt, because all programs on this machine
   * share them.
   */
  const isCrowd = (address: string): boolean => {
    if (isLoopback(address)) return false;
    let count = 0;
    for (const connection of open.values()) if (connection.address === address) count += 1;
    return count >= limits.maxConnectionsPerAddress;
  };
  const accept = (socket: Socket): void => {
    const address = socket.remoteAddress ?? "";
    if (isCrowd(address) || (open.size >= limits.maxConnections && !makeRoom())) {
      refused.add(socket);
      const message = "too many connections are open; close some, or try again in a second";
      refuseSocket(socket, { code: "tooManyConnections", message, retryAfter: 1 });
      return;
    }
    const idle = { answer: null, left: 0, since: 0, incoming: null, read: 0, readSince: 0 };
    open.set(socket, { address, ...idle });
    socket.once("close", () => {
      open.delete(socket);
      lastUse = performance.now();
    });
  };
  const begin = (incoming: IncomingMessage, answer: ServerResponse): void => {
    const { socket } = incoming;
    const connection = open.get(socket);
    if (connection === undefined) return;
    open.delete(socket);
    open.set(socket, connection);
    const since = performance.now();
    Object.assign(connection, { answer, left: socket.bytesWritten, since });
    Object.assign(connection, { incoming, read: socket.bytesRead, readSince: since });
    answer.once("close", () => {
      if (connection.answer === answer) connection.answer = null;
      if (isClosing) socket.destroySoon();
    });
  };
  /** True if the client has read nothing for too long, or does not read the rest of a complete response in time. */
  const isStuck = (socket: Socket, connection: Connection): boolean => {
    const { answer } = connection;
    const left = socket.bytesWritten - socket.writableLength;
    const isMoving = left !== connection.left && answer?.writableEnded !== true;
    if (answer === null || socket.writableLength === 0 || isMoving) {
      Object.assign(connection, { left, since: performance.now() });
      return false;
    }
    return performance.now() - connection.since > limits.readTimeout;
  };
  /** True if the request body is incomplete and too little of it arrived during the last `bodyTimeout`. */
  const isSlow = (socket: Socket, connection: Connection): boolean => {
    const { incoming, read, readSince } = connection;
    if (incoming === null || incoming.complete) return false;
    if (performance.now() - readSince < limits.bodyTimeout) return false;
    if (socket.bytesRead - read < limits.bodyProgress) return true;
    Object.assign(connection, { read: socket.bytesRead, readSince: performance.now() });
    return false;
  };
  const endSlow = (socket: Socket, { answer }: Connection): void => {
    refused.add(socket);
    open.delete(socket);
    if (answer?.headersSent === true) socket.destroy();
    else refuseSocket(socket, lateRequest);
  };
  const timer = setInterval(
    () => {
      for (const [socket, connection] of open) {
        if (isStuck(socket, connection)) socket.destroy();
        else if (isSlow(socket, connection)) endSlow(socket, connection);
      }
    },
    Math.min(limits.readTimeout, limits.bodyTimeout) / 4,
  ).unref();

  return {
    watch: (server) => {
      server.on("connection", accept);
      server.prependListener("request", begin);
    },
    isRefused: (socket) => refused.has(socket),
    count: () => open.size,
    lastUse: () => (open.size > 0 ? Infinity : lastUse),
    close: () => {
      isClosing = true;
      clearInterval(timer);
      while (makeRoom());
    },
  };
}
