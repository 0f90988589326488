import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { announce } from "../../../src/server/discovery.ts";
import { startServer } from "../../../src/server/serve.ts";
import type { RunningServer, ServeOptions } from "../../../src/server/serve.ts";

export type TinyOptions = Partial<ServeOptions>;

/** A server on a free port with a minimal app, closed after the test. */
export async function startTiny(t: TestContext, options: TinyOptions = {}): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-serve-"));
  const { discoveryFile = join(folder, "server.json") } = options;
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    version: "0.0.0",
    discoveryFile,
    stopCommand: () => "holdfast server stop",
    announce: async (discovery) => announce(discoveryFile, discovery),
    isBackground: false,
    deadline: 1_000,
    open: () => Promise.resolve(served()),
    ...options,
  });
  t.after(async () => {
    await server.stop().catch(() => {});
    rmSync(folder, { recursive: true });
  });
  return server;
}

export function served(
  fetch: (request: Request) => Response | Promise<Response> = () => new Response("here"),
): Awaited<ReturnType<ServeOptions["open"]>> {
  return { fetch, drain: () => Promise.resolve(), close: () => Promise.resolve() };
}

export interface Line {
  readonly socket: Socket;
  /** All bytes until the connection was closed. */
  readonly ended: Promise<string>;
  /** All bytes until this text arrived. */
  until(text: string): Promise<string>;
}

/** A raw connection, written byte by byte by the test. */
export function dial(server: { port: number }, words = ""): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, "127.0.0.1");
    let heard = "";
    const listeners = new Set<() => void>();
    socket.setEncoding("utf8").on("data", (text) => {
      heard += String(text);
      for (const listener of listeners) listener();
    });
    const ended = new Promise<string>((done) => {
      socket.once("close", () => done(heard));
    });
    const until = (text: string): Promise<string> =>
      new Promise((done, fail) => {
        const look = (): void => {
          if (heard.includes(text)) done(heard);
        };
        listeners.add(look);
        look();
        void ended.then(() => fail(new Error(`it ended without "${text}": ${heard}`)));
      });
    socket.on("error", reject);
    socket.once("connect", () => {
      socket.write(words);
      resolve({ socket, ended, until });
    });
  });
}

/** The error code in a response body. */
export function codeIn(answer: string): string | undefined {
  return /"code":"(?<code>\w+)"/.exec(answer)?.groups?.["code"];
}
