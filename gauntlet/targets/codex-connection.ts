import type { Setting } from "../target.ts";
import { introduction } from "./codex-subscriber.ts";
import { openJsonRpc, stdioOf } from "./json-rpc.ts";
import type { Channel, Handlers, JsonRpc } from "./json-rpc.ts";
import { saidBy, startProcess } from "./target-process.ts";
import type { TargetProcess } from "./target-process.ts";
import { openWebSocket } from "./web-socket.ts";
import type { WebSocketLine } from "./web-socket.ts";

/** Transport. WebSocket allows several clients; stdio is faster. */
export type Way = "webSocket" | "stdio";

export interface Launch {
  readonly program: string;
  readonly setting: Setting;
  readonly way: Way;
}

export interface Connection {
  readonly process: TargetProcess;
  readonly address: string;
  readonly rpc: JsonRpc;
}

/** Starts Codex and introduces this client, over stdio or a WebSocket. */
export async function connect<Notification>(
  { program, setting, way }: Launch,
  handlers: Handlers<Notification>,
): Promise<Connection> {
  const { folder, directory } = setting;
  const isSocket = way === "webSocket";
  const started = startProcess({
    command: [program, "app-server", ...(isSocket ? ["--listen", "ws://127.0.0.1:0"] : [])],
    directory,
    environment: { HOME: folder, CODEX_HOME: folder },
  });
  const where = { on: "stderr", pattern: /ws:\/\/[\d.]+:\d+/ } as const;
  const address = isSocket ? await saidBy(started, where) : "";
  const channel = isSocket ? channelOf(await openWebSocket(address), started) : stdioOf(started);
  const rpc = openJsonRpc(channel, handlers);
  await rpc.request("initialize", introduction);
  rpc.notify("initialized", {});
  return { process: started, address, rpc };
}

function channelOf(line: WebSocketLine, started: TargetProcess): Channel {
  const closed = Promise.withResolvers<string>();
  return {
    send: line.send,
    onMessage: (take) => {
      const read = async (): Promise<void> => {
        for (;;) {
          const text = await line.next();
          if (text === null) break;
          take(text);
        }
        closed.resolve(`the connection has ended: ${started.lastWords()}`);
      };
      void read();
    },
    closed: closed.promise,
  };
}
