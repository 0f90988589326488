import { createServer } from "node:http";
import type { TestContext } from "node:test";
import { listen } from "../../src/server/listen.ts";

/** A server of another store that has taken our port and accepts none of our tokens. */
export interface ForeignServer {
  readonly url: string;
  /** Paths and tokens of all requests. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export async function startForeign(t: TestContext, port = 0): Promise<ForeignServer> {
  const asked: string[] = [];
  const error = { code: "unauthorized", message: "this token is not known here", requestId: "1" };
  const server = createServer(({ method, url = "", headers }, response) => {
    const [path = ""] = url.split("?");
    asked.push([method, path, headers.authorization ?? "-"].join(" "));
    const isHealth = path === "/healthz";
    response.writeHead(isHealth ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(isHealth ? { name: "holdfast", proof: "another's" } : { error }));
  });
  const bound = await listen(server, { host: "127.0.0.1", port });
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  t.after(close);
  return { url: `http://127.0.0.1:${bound}`, asked, close };
}
