import { withTimeout } from "../base/time.ts";
import { refusalResponse } from "./early-answer.ts";
import type { Lifecycle } from "./ports.ts";
import { securityHeaders } from "./security/headers.ts";

/** Type of a function that answers requests, such as the app's `fetch`. */
export type Fetch = (request: Request, bindings: object) => Response | Promise<Response>;

export interface Front {
  readonly fetch: Fetch;
  /** Passes all requests to the app from now on, including the requests that are waiting. */
  open(app: Fetch): void;
}

/**
 * Answers requests before the app is ready: a request waits a short time for the app, then gets an error with
 * Retry-After.
 */
export function createFront(options: {
  lifecycle: Lifecycle;
  version: string;
  patience: number;
}): Front {
  const { lifecycle, version, patience } = options;
  const opened = Promise.withResolvers<Fetch>();
  let app: Fetch | null = null;
  const early: Fetch = async (request, bindings) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/healthz") {
      const nonce = searchParams.get("nonce");
      const proof = nonce === null ? null : lifecycle.prove(nonce);
      const headers = new Headers([["cache-control", "no-store"]]);
      for (const [name, value] of securityHeaders) headers.set(name, value);
      return Response.json({ status: "ok", name: "holdfast", version, proof }, { headers });
    }
    if (pathname === "/readyz") return notReady(lifecycle);
    const ready = await withTimeout(opened.promise, { milliseconds: patience, late: () => null });
    return ready === null ? notReady(lifecycle) : ready(request, bindings);
  };
  return {
    open: (fetch) => {
      app = fetch;
      opened.resolve(fetch);
    },
    fetch: (request, bindings) => (app ?? early)(request, bindings),
  };
}

function notReady(lifecycle: Lifecycle): Response {
  const retryAfter = lifecycle.retryAfter();
  const isStopping = lifecycle.state() === "draining";
  const code = isStopping ? "draining" : "notReady";
  const message = `the server is ${isStopping ? "stopping" : "starting"}; try again`;
  return refusalResponse({ code, message: `${message} in ${retryAfter} s`, retryAfter });
}
