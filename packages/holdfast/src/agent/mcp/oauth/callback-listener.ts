import { once } from "node:events";
import { createServer } from "node:http";
import { withTimeout } from "../../../base/time.ts";

/** Listens on a loopback address for the redirect of the browser after a sign-in. */
export interface CallbackListener {
  readonly redirectUrl: string;
  close(): Promise<void>;
}

const path = "/callback";
const lastPageTime = 1_000;

/** Opens the listener. `accept` returns null if it accepted the redirect, else the reason why not. */
export async function openCallbackListener(
  accept: (callback: URL) => Promise<string | null>,
): Promise<CallbackListener> {
  const server = createServer((request, response) => {
    const answer = (status: number, text: string): void => {
      response.writeHead(status, {
        "content-type": "text/plain; charset=utf-8",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        connection: "close",
      });
      response.end(`${text}\n`);
    };
    // Accept only the loopback address as host, not a host name that resolves to it (DNS rebinding).
    if (request.headers.host !== host) return answer(421, "Unknown host.");
    const url = URL.parse(request.url ?? "", origin);
    if (request.method !== "GET" || url?.pathname !== path) return answer(404, "Not found.");
    accept(url).then(
      (problem) =>
        problem === null
          ? answer(200, "Signed in. You can close this page.")
          : answer(400, `The sign-in was refused: ${problem}`),
      () => answer(500, "The sign-in failed."),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  const address = server.address();
  const host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const origin = `http://${host}`;
  return {
    redirectUrl: `${origin}${path}`,
    close: async () => {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Wait until the browser has received the page with the result of the sign-in.
      await withTimeout(closed, { milliseconds: lastPageTime, late: () => {} });
      server.closeAllConnections();
    },
  };
}
