import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { bedrock } from "./bedrock.ts";
import { google } from "./google.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Frame, Protocol } from "./protocol.ts";
import { says } from "./script.ts";
import type { ModelCall, Reply, Script } from "./script.ts";
import { objectionTo } from "./strict.ts";

/** A scripted model over a real socket. It speaks the wire protocols of the providers. */
export interface ModelServer {
  readonly port: number;
  /** Base addresses in the form that each provider's client needs. */
  readonly addresses: Readonly<Record<Protocol["name"], string>>;
  /** Every call so far, in order of arrival. */
  readonly calls: readonly ModelCall[];
  /**
   * Calls that request a session title. They can arrive at any time, so they are not in `calls`, and the script that
   * answers the other calls does not see them.
   */
  readonly titles: readonly ModelCall[];
  /** Forgets the calls so far. */
  forget(): void;
  close(): Promise<void>;
}

const protocols: readonly Protocol[] = [openaiChat, openaiResponses, anthropic, google, bedrock];

/** A request that has not been parsed yet. */
export interface RawRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer that is sent in place of the model's answer, such as an error, a list of models or a token. */
export interface RawAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export async function startModelServer(
  script: Script,
  options: {
    /** Script that answers requests for a session title. */
    readonly title?: Script;
    /**
     * Answers a request in place of the model, for example if the key is wrong. Returns null to let the model answer.
     */
    readonly before?: (request: RawRequest) => RawAnswer | null | Promise<RawAnswer | null>;
  } = {},
): Promise<ModelServer> {
  const { title = () => says("A title"), before = () => null } = options;
  const calls: ModelCall[] = [];
  const titles: ModelCall[] = [];
  const server = createServer((request, response) => {
    serve({ request, response, script, calls, title, titles, before }).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  // Keep idle connections open for long: closing one just as a client reuses it would look like an error.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => {
    server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, resolve);
  });
  const { port } = addressOf(server.address());
  const root = `http://127.0.0.1:${port}`;
  return {
    port,
    addresses: {
      openaiChat: `${root}/v1`,
      openaiResponses: `${root}/v1`,
      anthropic: `${root}/v1`,
      google: `${root}/v1beta`,
      bedrock: root,
    },
    calls,
    titles,
    forget: () => {
      calls.splice(0);
      titles.splice(0);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(exchange: {
  request: IncomingMessage;
  response: ServerResponse;
  script: Script;
  calls: ModelCall[];
  title: Script;
  titles: ModelCall[];
  before: (request: RawRequest) => RawAnswer | null | Promise<RawAnswer | null>;
}): Promise<void> {
  const { request, response } = exchange;
  const { method = "", url = "", headers: sent } = request;
  const content = await textOf(request);
  const early = await exchange.before({ method, url, headers: sent, body: content });
  if (early !== null) {
    const { status, headers = { "content-type": "application/json" }, body = {} } = early;
    response.writeHead(status, { ...headers }).end(JSON.stringify(body));
    return;
  }
  const path = (request.url ?? "").split("?")[0] ?? "";
  const protocol = protocols.find((candidate) => candidate.path.test(path));
  if (protocol === undefined || request.method !== "POST") {
    response.writeHead(404).end(JSON.stringify({ error: { message: `no ${path} here` } }));
    return;
  }
  const body: unknown = JSON.parse(content);
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const read = protocol.read(body, path);
  const isTitle = read.system.startsWith("You write titles for sessions.");
  const calls = isTitle ? exchange.titles : exchange.calls;
  const script = isTitle ? exchange.title : exchange.script;
  const call: ModelCall = {
    ...read,
    protocol: protocol.name,
    index: calls.length,
    headers: request.headers,
    body,
    gone: gone.signal,
  };
  calls.push(call);
  const objection = objectionTo(call);
  const reply = objection === null ? await script(call) : { status: 400, message: objection };
  await answer({ response, protocol, call, reply });
}

async function answer(exchange: {
  response: ServerResponse;
  protocol: Protocol;
  call: ModelCall;
  reply: Reply;
}): Promise<void> {
  const { response, protocol, call, reply } = exchange;
  if ("status" in reply) {
    const { status, headers = {}, message = "refused by the script", code = null } = reply;
    const error = JSON.stringify(protocol.error({ status, message, code }));
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(error);
    return;
  }
  const { contentType = "text/event-stream" } = protocol;
  response.writeHead(200, { "content-type": contentType, "cache-control": "no-store" });
  const stream = protocol.open(call);
  const send = (frames: readonly Frame[]): void => {
    if (frames.length > 0 && !response.destroyed) response.write(joined(frames));
  };
  send(stream.begin());
  for await (const part of reply.parts) {
    if (call.gone.aborted) return;
    if ("wait" in part) await Promise.race([part.wait, aborted(call.gone)]);
    else if ("raw" in part) send([part.raw]);
    else if ("cut" in part) {
      // Cut the connection only after the written text was sent, so that the cut is in the middle of an answer.
      response.write("", () => response.destroy());
      return;
    } else if ("quit" in part) {
      response.end();
      return;
    } else send(stream.part(part));
  }
  const { finish = "stop", usage = { input: 10, cached: 0, output: 5 } } = reply;
  send(stream.end({ finish, usage }));
  response.end();
}

function joined(frames: readonly Frame[]): Frame {
  if (frames.every((frame) => typeof frame === "string")) return frames.join("");
  return Buffer.concat(
    frames.map((frame) => (typeof frame === "string" ? Buffer.from(frame) : frame)),
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function addressOf(address: string | AddressInfo | null): AddressInfo {
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address;
}
