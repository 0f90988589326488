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
  Notifications,
  Observer,
  SandboxStatus,
  Security,
  Tokens,
  Webhooks,
} from "./ports.ts";
import { chargeRequest } from "./route-charges.ts";
import { eventHandlers } from "./routes/events.ts";
import { laneHandlers } from "./routes/lane.ts";
import { mcpEndpointHandlers } from "./routes/mcp-endpoint.ts";
import type { McpEndpoint } from "./routes/mcp-endpoint.ts";
import { notificationHandlers } from "./routes/notifications.ts";
import { promptHandlers } from "./routes/prompts.ts";
import { ruleHandlers } from "./routes/rules.ts";
import { searchHandlers } from "./routes/search.ts";
import { serverHandlers } from "./routes/server.ts";
import { sessionHandlers } from "./routes/sessions.ts";
import { workspaceHandlers } from "./routes/workspaces.ts";
import { checkerOf } from "./validate.ts";
import type {
  Configs,
  EditorServers,
  Logins,
  Providers,
  Rules,
  Workspaces,
} from "./workspace-ports.ts";
import type { WebFiles } from "./web-files.ts";

/**
 * Parts of the app. If an optional part is omitted, the app does not offer the routes of this part. A program that
 * embeds Holdfast may omit all optional parts.
 */
export interface AppOptions {
  readonly runtime: Runtime;
  readonly version: string;
  readonly security?: Security;
  readonly lifecycle?: Lifecycle;
  readonly streams?: EventStreams;
  readonly tokens?: Tokens;
  readonly links?: Links;
  readonly webhooks?: Webhooks;
  readonly notifications?: Notifications;
  readonly metrics?: Metrics;
  readonly workspaces?: Workspaces;
  /** Directories to show first when a person chooses the directory of a project. */
  readonly places?: readonly string[];
  readonly providers?: Providers;
  readonly configs?: Configs;
  readonly logins?: Logins;
  readonly editorServers?: EditorServers;
  readonly rules?: Rules;
  /** Handles requests of MCP clients. */
  readonly mcp?: McpEndpoint;
  /** The files of the built web page. */
  readonly web?: WebFiles;
  readonly observer?: Observer;
  readonly sandbox?: () => Promise<SandboxStatus>;
  /** Removes configured secret keys from error messages. */
  readonly redact?: (text: string) => string;
  /** Maximum of the query parameter `wait`, in seconds. */
  readonly maxWait?: number;
}

/** The HTTP interface of a runtime. The app neither opens nor closes the runtime. */
export interface App {
  /** Answers a request; never rejects. `env` contains the bindings of @hono/node-server. */
  fetch(request: Request, env?: object): Promise<Response>;
}

/** Handler type for code that treats all routes alike. */
type AnyHandler = (call: object) => Promise<AnyAnswer>;

export function createApp(options: AppOptions): App {
  const services = {
    ...nothingOffered,
    ...options,
    security: options.security ?? localSecurity(),
    lifecycle: options.lifecycle ?? always,
    maxWait: options.maxWait ?? 60,
    sandbox: options.sandbox ?? unknownSandbox,
    startedAt: Date.now(),
  };
  const hono = new Hono<Bindings>();
  const handlers = {
    ...sessionHandlers(services),
    ...searchHandlers(services),
    ...promptHandlers(services),
    ...laneHandlers(services),
    ...eventHandlers(services),
    ...ruleHandlers(services),
    ...workspaceHandlers(services),
    ...notificationHandlers(services),
    ...serverHandlers(services),
    ...mcpEndpointHandlers(services.mcp, (request, env) => hono.fetch(request, env)),
  };
  const serve = pipeline(services);
  const allowed = new Map<string, string[]>();
  const add = (endpoint: Endpoint): void => {
    const { method, pattern, isStream: hasNoHead } = endpoint;
    const methods = method === "GET" && !hasNoHead ? [method, "HEAD"] : [method];
    allowed.set(pattern, [...(allowed.get(pattern) ?? []), ...methods]);
    hono.on(method, pathOf(pattern), (context) => serve(context, endpoint));
  };
  for (const [name, route] of routeEntries()) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schemas of the route check the input
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
        const quota = mayCost ? await services.security.quota(principal) : null;
        const input = await check(call.context, chargeRequest(name, quota));
        return handle({ ...call, ...input });
      },
    });
  }
  for (const page of pages(services)) add({ ...page, role: null, method: "GET", isStream: false });
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
  notifications: null,
  metrics: null,
  workspaces: null,
  providers: null,
  configs: null,
  logins: null,
  editorServers: null,
  rules: null,
  mcp: null,
  web: null,
};

function unknownSandbox(): Promise<SandboxStatus> {
  return Promise.resolve({ name: null, problem: "this program runs its own agents" });
}

/** Lifecycle of an embedded runtime: it is always ready, because the surrounding program decides when it ends. */
const always: Lifecycle = {
  state: () => "ready",
  stop: () => {
    throw new ApiError(
      "notOffered",
      "only a server can be stopped by a request, and this is an embedded runtime; close it in its program",
    );
  },
  drainingUntil: () => null,
  closing: new AbortController().signal,
  retryAfter: () => 1,
  prove: () => null,
};

/** Answers a request whose method this path does not support. */
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
    const message = `there is no ${method} ${path}; see /docs for all routes`;
    return Promise.reject(new ApiError("unknownRoute", message));
  },
};

/** Converts a route pattern to hono's syntax. */
function pathOf(pattern: string): string {
  return pattern.replaceAll(/\{(\w+)\}/g, ":$1");
}

function isStream({ answers }: Route): boolean {
  return Object.values(answers).some(
    (answer) => answer.kind === "raw" && answer.contentType === "text/event-stream",
  );
}
