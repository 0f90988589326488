import assert from "node:assert/strict";
import { createServer, request as sendHttp } from "node:http";
import type { IncomingMessage, Server } from "node:http";
import type { TestContext } from "node:test";
import { getRequestListener } from "@hono/node-server";
import { waitFor } from "../../support/wait-for.ts";
import { createApp } from "../../../src/server/app.ts";
import type { App, AppOptions } from "../../../src/server/app.ts";
import { resources } from "../../runner/support/leaks.ts";
import { openSqlitePlace } from "../../runner/support/place.ts";
import type { Place } from "../../runner/support/place.ts";
import { call } from "../../runner/support/puppets.ts";
import type { Puppet } from "../../runner/support/puppets.ts";
import { conform } from "./conform.ts";

/** A runtime with the HTTP app. Every answer is checked against the contract. */
export interface TestServer {
  readonly place: Place;
  readonly app: App;
  /** Sends a request in process. */
  readonly ask: (method: string, path: string, asked?: Asked) => Promise<Answered>;
  /** Sends a request over a socket. */
  readonly askSocket: (method: string, path: string, asked?: Asked) => Promise<Answered>;
  /** Port of the socket. */
  readonly port: number;
}

export interface Asked {
  /** Sent as JSON, unless it is bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
  /** Code of an error. */
  readonly code: string | null;
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers are held against their schemas
export type Json = any;

export async function openTestServer(
  t: TestContext,
  options: Partial<Omit<AppOptions, "runtime">> & { session?: boolean } = {},
): Promise<TestServer> {
  const { session = true, ...overrides } = options;
  const cleaners: (() => Promise<void>)[] = [];
  const place = await openSqlitePlace({ after: (clean) => void cleaners.push(clean) }, { session });
  const app = createApp({ version: "1.2.3", ...overrides, runtime: place.first.holdfast });
  const before = resources();
  const { server, port } = await listen((request, env) => app.fetch(request, env));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    // Sockets are released a moment after they have closed.
    await waitFor(() => sockets(resources()), {
      describe: "closed sockets",
      until: (open) => open <= sockets(before),
    });
    for (const clean of cleaners) await clean();
  });
  return {
    place,
    app,
    port,
    ask: async (method, path, asked = {}) => {
      const { body, headers } = encode(asked);
      const { signal } = asked;
      const request = new Request(`http://127.0.0.1${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      });
      const response = await app.fetch(request);
      const text = Buffer.from(await response.arrayBuffer()).toString();
      return answered(
        { method, path },
        { status: response.status, headers: response.headers, text },
      );
    },
    askSocket: async (method, path, asked = {}) => {
      const { body, headers } = encode(asked);
      const outgoing = sendHttp({ port, method, path, headers, agent: false });
      asked.signal?.addEventListener("abort", () => outgoing.destroy());
      outgoing.end(body);
      const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
        outgoing.once("response", resolve).once("error", reject);
      });
      const chunks = await incoming.toArray();
      const text = Buffer.concat(chunks).toString();
      const { statusCode: status = 0 } = incoming;
      const received = new Headers(
        Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      );
      return answered({ method, path }, { status, headers: received, text });
    },
  };
}

function sockets({ TCPSocketWrap = 0, TCPServerWrap = 0 }: Record<string, number>): number {
  return TCPSocketWrap + TCPServerWrap;
}

async function listen(
  fetch: (request: Request, env: object) => Promise<Response>,
): Promise<{ server: Server; port: number }> {
  const listener = getRequestListener(fetch);
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => {
    server.once("listening", resolve);
  });
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  return { server, port: address.port };
}

function encode({ body, headers = {} }: Asked): {
  body: string | Uint8Array<ArrayBuffer> | undefined;
  headers: Record<string, string>;
} {
  if (body === undefined) return { body: undefined, headers };
  if (body instanceof Uint8Array) return { body: new Uint8Array(body), headers };
  return {
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  };
}

function answered(
  asked: { method: string; path: string },
  answer: { status: number; headers: Headers; text: string },
): Answered {
  const { status, headers, text } = answer;
  const isJson = headers.get("content-type") === "application/json" && text !== "";
  const json: Json = isJson ? JSON.parse(text) : null;
  conform(asked, { status, headers, text, json });
  return { ...answer, json, code: status >= 400 ? json?.error?.code : null };
}

/** Prompt `a` has a run that waits for an ask about its call `one`. */
export async function openAsk(
  place: Place,
): Promise<{ run: Puppet; asked: ReturnType<Puppet["context"]["ask"]> }> {
  await place.prompt("a");
  const run = await place.puppets.next();
  await run.boundary();
  await run.answer("may I?", [call("one")]);
  const asked = run.context.ask({ askId: "ask1", callId: "one", question: "write?" });
  await place.event((event) => event.type === "ask.opened");
  return { run, asked };
}
