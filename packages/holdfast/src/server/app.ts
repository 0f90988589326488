import { randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Context } from "hono";
import type { Route } from "../contract/route.ts";
import { routeEntries } from "../contract/routes.ts";
import type { Role } from "../contract/token.ts";
import type { Runtime } from "../runner/runtime.ts";
import { ApiError, apiErrorOf, errorBody } from "./errors.ts";
import type { AnyAnswer } from "./handler.ts";
import { localSecurity } from "./local-security.ts";
import { pages } from "./pages.ts";
import type {
  EventStreams,
  Lifecycle,
  Links,
  Metrics,
  Observer,
  Principal,
  Security,
  Tokens,
  Webhooks,
} from "./ports.ts";
import { eventHandlers } from "./routes/events.ts";
import { laneHandlers } from "./routes/lane.ts";
import { promptHandlers } from "./routes/prompts.ts";
import { unknownSession } from "./routes/route-parts.ts";
import { serverHandlers } from "./routes/server.ts";
import { sessionHandlers } from "./routes/sessions.ts";
import { mayUse } from "./security/directories.ts";
import { checkerOf } from "./validate.ts";

/** What is left out is not offered; only the runtime is needed, as in a program of somebody's own. */
export interface AppOptions {
  readonly runtime: Runtime;
  readonly version: string;
  readonly security?: Security;
  readonly lifecycle?: Lifecycle;
  readonly streams?: EventStreams;
  readonly tokens?: Tokens;
  readonly links?: Links;
  readonly webhooks?: Webhooks;
  readonly metrics?: Metrics;
  readonly observer?: Observer;
  /** Takes configured keys out of what errors say. */
  readonly redact?: (text: string) => string;
  /** The longest that `wait` can make an answer take, in seconds. */
  readonly maxWait?: number;
}

/** The HTTP interface over a runtime. It opens nothing and closes nothing. */
export interface App {
  /** Answers a request; never rejects. `env` is what @hono/node-server passes along. */
  fetch(request: Request, env?: object): Promise<Response>;
}

/** What a request over a socket brings along; nothing of it in process. */
type Bindings = { Bindings: Partial<HttpBindings> };

/** What a handler is to the code that calls it for any route. */
type AnyHandler = (call: object) => Promise<AnyAnswer>;

export function createApp(options: AppOptions): App {
  const parts = {
    ...nothingOffered,
    ...options,
    security: options.security ?? localSecurity(),
    lifecycle: options.lifecycle ?? always,
    maxWait: options.maxWait ?? 60,
    startedAt: Date.now(),
  };
  const handlers = {
    ...sessionHandlers(parts),
    ...promptHandlers(parts),
    ...laneHandlers(parts),
    ...eventHandlers(parts),
    ...serverHandlers(parts),
  };
  const hono = new Hono<Bindings>();
  const serve = pipeline(parts);
  const allowed = new Map<string, string[]>();
  const add = (endpoint: Endpoint): void => {
    const path = endpoint.pattern.replaceAll(/\{(\w+)\}/g, ":$1");
    allowed.set(path, [...(allowed.get(path) ?? []), endpoint.method]);
    hono.on(endpoint.method, path, (context) => serve(context, endpoint));
  };
  for (const [name, route] of routeEntries()) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its route's schemas check its input
    const handle = handlers[name] as AnyHandler;
    const check = checkerOf(route);
    const { method, path: pattern, role } = route;
    add({
      method,
      pattern,
      role,
      isStream: isStream(route),
      handle: async (call) => handle({ ...call, ...(await check(call.context)) }),
    });
  }
  for (const page of pages(parts)) add({ ...page, role: null, method: "GET", isStream: false });
  for (const [path, methods] of allowed) {
    hono.all(path, (context) => serve(context, refuseMethod(path, methods)));
  }
  hono.notFound((context) => serve(context, noRoute));
  return { fetch: async (request, env) => hono.fetch(request, env ?? {}) };
}

/** Something that can be asked for, and what it takes to be allowed to. */
interface Endpoint {
  readonly method: string;
  readonly pattern: string;
  readonly role: Role | null;
  readonly isStream: boolean;
  readonly handle: (call: EndpointCall) => Promise<AnyAnswer>;
}

interface EndpointCall {
  readonly principal: Principal | null;
  readonly request: Request;
  readonly context: Context<Bindings>;
  readonly signal: AbortSignal;
  readonly headers: Headers;
}

/** Every request goes through the same gates in the same order, and every error out by one door. */
function pipeline(
  parts: Pick<AppOptions, "runtime" | "observer" | "redact"> & {
    readonly security: Security;
    readonly lifecycle: Lifecycle;
  },
): (context: Context<Bindings>, endpoint: Endpoint) => Promise<Response> {
  const { security, lifecycle, observer, redact } = parts;

  const admit = async (
    context: Context<Bindings>,
    endpoint: Endpoint,
  ): Promise<Principal | null> => {
    const request = context.req.raw;
    expectReady(lifecycle, endpoint);
    security.checkOrigin(request);
    const source = { address: addressOf(context) };
    if (endpoint.role === null) {
      security.limit(request, source);
      return null;
    }
    const principal = await security.authenticate(request, source);
    expectRole(principal, endpoint.role);
    await expectDirectory(parts.runtime, principal, context.req.param("sessionId"));
    return principal;
  };

  return async (context, endpoint) => {
    const request = context.req.raw;
    const startedAt = performance.now();
    const requestId = requestIdOf(request);
    const headers = new Headers({ "x-request-id": requestId });
    const made: Made = { principal: null, failure: null };
    const answer = async (): Promise<Response> => {
      try {
        security.decorate(request, headers);
        const preflight = request.method === "OPTIONS" ? security.preflight(request) : null;
        if (preflight !== null) return merge(preflight, headers);
        if (request.method === "HEAD" && endpoint.isStream) throw notAllowed(["GET"]);
        made.principal = await admit(context, endpoint);
        const { signal } = request;
        const call = { principal: made.principal, request, context, signal, headers };
        return respond(await endpoint.handle(call), headers);
      } catch (error) {
        made.failure = apiErrorOf(error);
        return errorResponse(made.failure, { requestId, headers, redact });
      }
    };
    const { pattern: route } = endpoint;
    const response = await (observer?.around?.(request, route, answer) ?? answer());
    observer?.answered({
      requestId,
      method: request.method,
      route,
      path: context.req.path,
      status: response.status,
      duration: (performance.now() - startedAt) / 1000,
      code: made.failure?.code ?? null,
      actor: made.principal?.actor ?? null,
      error: made.failure?.code === "internal" ? made.failure.cause : null,
    });
    return response;
  };
}

/** What is known of a request besides its answer. */
interface Made {
  principal: Principal | null;
  failure: ApiError | null;
}

const nothingOffered = { streams: null, tokens: null, links: null, webhooks: null, metrics: null };

/** A runtime inside of another program lives as long as the program wants. */
const always: Lifecycle = {
  state: () => "ready",
  stop: () => {
    throw new ApiError("notOffered", "only a server can be stopped this way, and this is none");
  },
  closing: new AbortController().signal,
  retryAfter: () => 1,
  prove: () => null,
};

const noRoute: Endpoint = {
  method: "*",
  pattern: "unknown",
  role: null,
  isStream: false,
  handle: ({ context }) => {
    const { method, path } = context.req;
    const message = `there is no ${method} ${path}; see /docs for what there is`;
    return Promise.reject(new ApiError("unknownRoute", message));
  },
};

function refuseMethod(pattern: string, methods: readonly string[]): Endpoint {
  return { ...noRoute, pattern, handle: () => Promise.reject(notAllowed(methods)) };
}

function notAllowed(methods: readonly string[]): ApiError {
  const allow = methods.join(", ");
  return new ApiError("methodNotAllowed", `this address takes ${allow}`, { headers: { allow } });
}

function isStream({ answers }: Route): boolean {
  return Object.values(answers).some(
    (answer) => answer.kind === "raw" && answer.contentType === "text/event-stream",
  );
}

function expectReady(lifecycle: Lifecycle, { pattern }: Endpoint): void {
  if (lifecycle.state() !== "starting" || pattern === "/healthz" || pattern === "/readyz") return;
  throw new ApiError("notReady", "the server is starting; ask again in a moment", {
    headers: { "retry-after": `${lifecycle.retryAfter()}` },
  });
}

const rank: Readonly<Record<Role, number>> = { observe: 0, prompt: 1, admin: 2 };

function expectRole({ role, name }: Principal, least: Role): void {
  if (rank[role] >= rank[least]) return;
  const message = `token ${name} has the role ${role}; this takes the role ${least}`;
  throw new ApiError("forbidden", message, { details: { role, needed: least } });
}

/** Sessions outside of its directories do not exist for a principal, whatever it wants of them. */
async function expectDirectory(
  runtime: Runtime,
  principal: Principal,
  sessionId: string | undefined,
): Promise<void> {
  if (principal.directories === null || sessionId === undefined) return;
  const state = await runtime.store.lane(sessionId);
  if (state !== null && !mayUse(principal, state.directory)) throw unknownSession(sessionId);
}

function respond(answer: AnyAnswer, headers: Headers): Response {
  // Not by its class: the adapter replaces the global one, and the mark of a sent answer is of the old.
  if ("headers" in answer) return merge(answer, headers);
  const { status, body } = answer;
  if (body === undefined) return new Response(null, { status, headers });
  headers.set("content-type", "application/json");
  return new Response(JSON.stringify(body), { status, headers });
}

/** Adds what every answer has. One that is on its way over a socket of its own is left alone. */
function merge(response: Response, headers: Headers): Response {
  if (response.headers.has("x-hono-already-sent")) return response;
  for (const [name, value] of response.headers) headers.set(name, value);
  return new Response(response.body, { status: response.status, headers });
}

function errorResponse(
  error: ApiError,
  options: { requestId: string; headers: Headers; redact: AppOptions["redact"] },
): Response {
  const { requestId, headers, redact = (text) => text } = options;
  for (const [name, value] of Object.entries(error.headers)) headers.set(name, value);
  headers.set("content-type", "application/json");
  const body = redact(JSON.stringify(errorBody(error, requestId)));
  return new Response(body, { status: error.status, headers });
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/;

/** The client's own, so that its log and the server's can be read together; else a new one. */
function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && requestIdPattern.test(given) ? given : randomUUID();
}

function addressOf(context: Context<Bindings>): string | null {
  return context.env.incoming?.socket.remoteAddress ?? null;
}
