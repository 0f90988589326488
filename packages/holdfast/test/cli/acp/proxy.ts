import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { listen } from "../../../src/server/listen.ts";

/** A proxy between an editor and its server. */
export interface Proxy {
  readonly url: string;
  /** Ends all event streams that are open now. */
  cutStreams(): void;
}

export interface ProxiedRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
}

interface Handlers {
  /** Called before a request is sent to the server. Return "fail" to answer it with an error in place of the server. */
  readonly before?: (request: ProxiedRequest) => unknown;
  /**
   * Called when the server has answered. The answer is passed on when the returned promise resolves. Return "fail" to
   * replace it with an error.
   */
  readonly answered?: (request: ProxiedRequest) => unknown;
}

export async function startProxy(
  t: { after(work: () => void): void },
  { url }: { readonly url: string },
  { before = () => {}, answered = () => {} }: Handlers,
): Promise<Proxy> {
  const streams = new Set<ServerResponse>();
  const server = createServer((incoming, response) => {
    const forward = async (): Promise<void> => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
      const { method = "GET", headers, url: target = "" } = incoming;
      const request = { method, path: target.replace(/\?.*/, "") };
      if ((await before(request)) === "fail") return fail(response);
      const gone = new AbortController();
      response.once("close", () => gone.abort());
      const answer = await fetch(`${url}${target}`, {
        method,
        headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
        signal: gone.signal,
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      });
      if ((await answered(request)) === "fail") return fail(response);
      const type = answer.headers.get("content-type") ?? "application/json";
      if (type.startsWith("text/event-stream")) streams.add(response);
      response.once("close", () => streams.delete(response));
      response.writeHead(answer.status, { "content-type": type });
      for await (const chunk of answer.body ?? []) response.write(chunk);
      response.end();
    };
    forward().catch(() => response.destroy());
  });
  const port = await listen(server, { host: "127.0.0.1", port: 0 });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    cutStreams: () => {
      for (const response of streams) response.destroy();
    },
  };
}

function fail(response: ServerResponse): void {
  const error = { code: "internal", message: "the proxy has failed", requestId: "1" };
  response.writeHead(500, { "content-type": "application/json" });
  response.end(JSON.stringify({ error }));
}
