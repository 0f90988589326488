import { Hono } from "hono";
import type { Route } from "../contract/route.ts";
import { routeEntries } from "../contract/routes.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { ApiError } from "./errors.ts";
import type { AnyAnswer, Bindings, Endpoint, EndpointCall } from "./handler.ts";
import { localSecurity } from "./local-security.ts";
import { pages } from "./pages.ts";
import { notAllowed, pipeline } from "./pipeline.ts";
import type {
  EventStreams,
  Lifecycle,
  Links,
  Metrics,
  Observer,
  SandboxStatus,
  Security,
  Tokens,
  Webhooks,
} from "./ports.ts";
import { chargeRequest } from "./route-charges.ts";
import { eventHandlers } from "./routes/events.ts";
import { laneHandlers } from "./routes/lane.ts";
import { promptHandlers } from "./routes/prompts.ts";
import { serverHandlers } from "./routes/server.ts";
import { sessionHandlers } from "./routes/sessions.ts";
import { workspaceHandlers } from "./routes/workspaces.ts";
import { checkerOf } from "./validate.ts";
import type { Configs, Providers, Workspaces } from "./workspace-ports.ts";
import type { WebFiles } from "./web-files.ts";

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
  readonly workspaces?: Workspaces;
  readonly providers?: Providers;
  readonly configs?: Configs;
  /** The built web page. */
  readonly web?: WebFiles;
  readonly observer?: Observer;
  readonly sandbox?: () => Promise<SandboxStatus>;
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

/** What a handler is to the code that calls it for any route. */
type AnyHandler = (call: object) => Promise<AnyAnswer>;

export function createApp(options: AppOptions): App {
  const parts = {
    ...nothingOffered,
    ...options,
    security: options.security ?? localSecurity(),
    lifecycle: options.lifecycle ?? always,
    maxWait: options.maxWait ?? 60,
    sandbox: options.sandbox ?? unknownSandbox,
    startedAt: Date.now(),
  };
  const handlers = {
    ...sessionHandlers(parts),
    ...promptHandlers(parts),
    ...laneHandlers(parts),
    ...eventHandlers(parts),
    ...workspaceHandlers(parts),
    ...serverHandlers(parts),
  };
  const hono = new Hono<Bindings>();
  const serve = pipeline(parts);
  const allowed = new Map<string, string[]>();
  const add = (endpoint: Endpoint): void => {
    const { method, pattern, isStream: hasNoHead } = endpoint;
    const methods = method === "GET" && !hasNoHead ? [method, "HEAD"] : [method];
    allowed.set(pattern, [...(allowed.get(pattern) ?? []), ...methods]);
    hono.on(method, pathOf(pattern), (context) => serve(context, endpoint));
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
      handle: async (call) => {
        const { principal } = call;
        const mayCost = principal !== null && method !== "GET";
        const quota = mayCost ? await parts.security.quota(principal) : null;
        const input = await check(call.context, chargeRequest(name, quota));
        return handle({ ...call, ...input });
      },
    });
  }
  for (const page of pages(parts)) add({ ...page, role: null, method: "GET", isStream: false });
  for (const [pattern, methods] of allowed) {
    const refuse = {
      ...noRoute,
      pattern,
      handle: async (call: EndpointCall) => others(call, methods),
    };
    hono.all(pathOf(pattern), (context) => serve(context, refuse));
  }
  hono.notFound((context) => serve(context, noRoute));
  return { fetch: async (request, env) => hono.fetch(request, env ?? {}) };
}

const nothingOffered = {
  streams: null,
  tokens: null,
  links: null,
  webhooks: null,
  metrics: null,
  workspaces: null,
  providers: null,
  configs: null,
  web: null,
};

function unknownSandbox(): Promise<SandboxStatus> {
  return Promise.resolve({ name: null, problem: "this program runs agents of its own" });
}

/** A runtime inside of another program lives as long as the program wants. */
const always: Lifecycle = {
  state: () => "ready",
  stop: () => {
    throw new ApiError("notOffered", "only a server can be stopped this way, and this is none");
  },
  drainingUntil: () => null,
  closing: new AbortController().signal,
  retryAfter: () => 1,
  prove: () => null,
};

/** What an address answers to methods that it does not take. */
function others({ request }: EndpointCall, methods: readonly string[]): Response {
  if (request.method !== "OPTIONS") throw notAllowed(methods);
  return new Response(null, { status: 204, headers: { allow: methods.join(", ") } });
}

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

/** The same pattern in the notation of hono. */
function pathOf(pattern: string): string {
  return pattern.replaceAll(/\{(\w+)\}/g, ":$1");
}

function isStream({ answers }: Route): boolean {
  return Object.values(answers).some(
    (answer) => answer.kind === "raw" && answer.contentType === "text/event-stream",
  );
}
