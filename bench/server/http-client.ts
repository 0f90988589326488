import { Agent, request } from "node:http";

/** Sends HTTP requests over kept-alive connections, with minimal overhead. */
export interface HttpClient {
  send(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly text: string }>;
  close(): void;
}

export function createHttpClient(url: string, token: string | null): HttpClient {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(url);
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const send: HttpClient["send"] = (method, path, body) =>
    new Promise((resolve, reject) => {
      const content = body === undefined ? "" : JSON.stringify(body);
      const headers = {
        ...authorization,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        "content-length": Buffer.byteLength(content),
      };
      const sent = request({ agent, hostname, port, method, path, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (piece: string) => (text += piece));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", reject);
      });
      // Send the request again if the server closed the idle connection at the moment when it was reused.
      const isStale = (error: NodeJS.ErrnoException): boolean =>
        sent.reusedSocket && error.code === "ECONNRESET";
      sent.on("error", (error) =>
        isStale(error) ? resolve(send(method, path, body)) : reject(error),
      );
      sent.end(content);
    });
  return { send, close: () => agent.destroy() };
}
