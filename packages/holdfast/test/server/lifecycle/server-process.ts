import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { request as sendHttp } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCommand } from "../../cli/test-cli.ts";
import type { Running } from "../../cli/test-cli.ts";
import { program } from "../../support/program.ts";

/** A data folder in which servers run one after another, each in its own process. */
export interface ServerPlace {
  /** A project folder; servers keep their data in `data`. */
  readonly folder: string;
  readonly data: string;
  readonly start: (...words: string[]) => Promise<ServerProcess>;
  /** Ends running servers and removes the folder. */
  close(): Promise<void>;
}

export interface ServerProcess extends Running {
  readonly url: string;
  /** Sends a request with the owner's token. `onHead` is called when the status arrives. */
  send(
    method: string,
    path: string,
    options?: { body?: unknown; onHead?: (status: number) => void },
  ): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: ServerBody }>;
}

/** Fields of responses that tests use. */
export interface ServerBody {
  readonly promptId?: string;
  readonly status?: string;
  readonly outcome?: { readonly status: string } | null;
  readonly error?: { readonly code: string };
  readonly items?: readonly { readonly askId: string }[];
}

/** `log` is the log level of the servers. */
export function openPlace({
  log = "silent",
  environment = {},
}: {
  readonly log?: string;
  readonly environment?: Readonly<Record<string, string>>;
} = {}): ServerPlace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-server-")));
  const data = join(folder, "data");
  const running = new Set<ServerProcess>();
  return {
    folder,
    data,
    start: async (...words) => {
      const command = startCommand([program, "serve", "--port", "0", "--data", data, ...words], {
        folder,
        environment: { HOLDFAST_LOG: log, ...environment },
      });
      await command.printed("Ctrl-C stops the server");
      const file = readFileSync(join(data, "holdfast.db.server.json"), "utf8");
      const { url }: { url: string } = JSON.parse(file);
      const token = readFileSync(join(data, "token"), "utf8").trim();
      const server = { ...command, url, send: sender(url, token) };
      running.add(server);
      void command.ended.then(() => running.delete(server));
      return server;
    },
    close: async () => {
      for (const { process, ended } of running) {
        process.kill("SIGKILL");
        await ended;
      }
      rmSync(folder, { recursive: true });
    },
  };
}

function sender(url: string, token: string): ServerProcess["send"] {
  return (method, path, { body, onHead } = {}) => {
    const { promise, resolve, reject } =
      Promise.withResolvers<Awaited<ReturnType<ServerProcess["send"]>>>();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const request = sendHttp(url + path, { method, headers, agent: false }, (response) => {
      const status = response.statusCode ?? 0;
      onHead?.(status);
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.once("error", reject).once("end", () => {
        resolve({ status, headers: response.headers, body: JSON.parse(text) });
      });
    });
    request.once("error", reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
    return promise;
  };
}
