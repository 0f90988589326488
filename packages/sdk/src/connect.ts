import { attachmentsOf } from "./attachments.ts";
import type { Attachments } from "./attachments.ts";
import type { Backoff } from "./backoff.ts";
import { call } from "./call.ts";
import { feedStream } from "./feed-stream.ts";
import type { FeedItem, FeedOptions } from "./feed-stream.ts";
import { maintenanceOf } from "./maintenance.ts";
import type { Maintenance } from "./maintenance.ts";
import { eachItem } from "./pages.ts";
import { sessionHandle } from "./session.ts";
import type { SessionHandle } from "./session.ts";
import { sessionsOf } from "./sessions.ts";
import type { Sessions } from "./sessions.ts";
import { systemTiming } from "./timing.ts";
import type { Timing } from "./timing.ts";
import { tokensOf } from "./tokens.ts";
import type { Tokens } from "./tokens.ts";
import { createTransport, usualTransport } from "./transport.ts";
import type { CallOptions } from "./transport.ts";
import type {
  Ask,
  AskPage,
  Health,
  Link,
  Me,
  Routes,
  NodeList,
  SignedIn,
  SignInInput,
  Status,
  StopInput,
  Stopping,
} from "./types.gen.ts";
import { webhooksOf } from "./webhooks.ts";
import type { Webhooks } from "./webhooks.ts";
import { configOf, mcpServersOf, providersOf, workspacesOf } from "./workspaces.ts";
import type { Config, McpServers, Providers, Workspaces } from "./workspaces.ts";

export interface ConnectOptions {
  /** Where the server is, such as `http://127.0.0.1:4310`; it may live below a path. */
  readonly url: string;
  /** Left out by the server's own web page, which has a cookie and a key instead. */
  readonly token?: string | undefined;
  /** Names this program in what it does, after the name of its token. */
  readonly client?: string | undefined;
  /** In place of the platform's own: with a server's `fetch` there is no socket in between. */
  readonly fetch?: ((request: Request) => Response | Promise<Response>) | undefined;
  /**
   * Milliseconds to go on trying while the server does not answer; a minute if left out. For streams
   * and outcomes, which may take days, it counts from the moment that the server was last heard.
   */
  readonly patience?: number | undefined;
  /** Milliseconds that one try may take before it counts as lost. */
  readonly tryTimeout?: number | undefined;
  /** The pauses between tries, in milliseconds. */
  readonly backoff?: Backoff | undefined;
  readonly timing?: Timing | undefined;
}

/** A Holdfast server, as its clients see it. Nothing is sent before the first method is called. */
export interface Holdfast {
  readonly sessions: Sessions;
  readonly attachments: Attachments;
  readonly webhooks: Webhooks;
  readonly tokens: Tokens;
  readonly workspaces: Workspaces;
  readonly maintenance: Maintenance;
  readonly providers: Providers;
  readonly mcp: McpServers;
  readonly config: Config;
  /** A session by its id, without asking for it. */
  session(sessionId: string): SessionHandle;
  /** The open asks of all sessions. */
  asks(options?: AskQuery & CallOptions): Promise<AskPage>;
  eachAsk(options?: AskQuery & CallOptions): AsyncGenerator<Ask>;
  /** Events of all sessions: in order within each, every one once (T2). */
  events(options?: FeedOptions): AsyncGenerator<FeedItem>;
  /** Who this client is, and what it may do. */
  me(options?: CallOptions): Promise<Me>;
  status(options?: CallOptions): Promise<Status>;
  /** The nodes that work on the server's store. */
  nodes(options?: CallOptions): Promise<NodeList>;
  /** That it is there; asked without a token. */
  health(options?: CallOptions & Routes["GET /healthz"]["query"]): Promise<Health>;
  /** Drains the server and stops it. */
  stop(input?: StopInput & CallOptions): Promise<Stopping>;
  /** A link that opens the web page, once. */
  link(options?: CallOptions): Promise<Link>;
  /** Signs this browser in with the code of a link; its cookie is set by the answer. */
  signIn(input: SignInInput & CallOptions): Promise<SignedIn>;
}

type AskQuery = Routes["GET /v1/asks"]["query"];

export function connect(options: ConnectOptions): Holdfast {
  const { url, token, client, timing = systemTiming, fetch = globalThis.fetch } = options;
  const settings = {
    url: checkedUrl(url),
    token: checkedToken(token),
    client: client ?? null,
    timing,
    // Called on its own: a browser's fetch wants to be nobody's method.
    fetch: async (request: Request) => fetch(request),
    patience: options.patience ?? usualTransport.patience,
    tryTimeout: options.tryTimeout ?? usualTransport.tryTimeout,
    backoff: options.backoff ?? usualTransport.backoff,
  };
  const transport = createTransport(settings);
  const anonymous = createTransport({ ...settings, token: null });
  const asks: Holdfast["asks"] = ({ signal, patience, ...query } = {}) =>
    call(transport, "GET /v1/asks", { query, signal, patience });
  return {
    sessions: sessionsOf(transport),
    attachments: attachmentsOf(transport),
    webhooks: webhooksOf(transport),
    tokens: tokensOf(transport),
    workspaces: workspacesOf(transport),
    maintenance: maintenanceOf(transport),
    providers: providersOf(transport),
    mcp: mcpServersOf(transport),
    config: configOf(transport),
    session: (sessionId) => sessionHandle(transport, sessionId),
    asks,
    eachAsk: (query = {}) => eachItem(query.after, (after) => asks({ ...query, after })),
    events: (options = {}) => feedStream(transport, options),
    me: (options = {}) => call(transport, "GET /v1/me", options),
    status: (options = {}) => call(transport, "GET /v1/status", options),
    nodes: (options = {}) => call(transport, "GET /v1/nodes", options),
    health: ({ signal, patience, ...query } = {}) =>
      call(anonymous, "GET /healthz", { query, signal, patience }),
    stop: ({ signal, patience, ...body } = {}) =>
      call(transport, "POST /v1/stop", { body, signal, patience }),
    link: (options = {}) => call(transport, "POST /v1/link", options),
    // Sent once: a code is used up by the first sending.
    signIn: ({ signal, patience, ...body }) =>
      call(anonymous, "POST /v1/sign-in", { body, signal, patience, repeatable: false }),
  };
}

/** Anything else would fail in every request, and the message would show it. */
function checkedToken(token: string | undefined): string | null {
  const trimmed = token?.trim() ?? null;
  if (trimmed === null || /^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new TypeError("a token is made of letters, digits and signs, without spaces");
}

function checkedUrl(url: string): string {
  const { protocol, href, username, password } = new URL(url);
  if (username !== "" || password !== "") {
    throw new TypeError("a server's address has no name and no password in it; pass a token");
  }
  if (protocol === "http:" || protocol === "https:") return href.replace(/\/+$/, "");
  throw new TypeError(`a server's address begins with http:// or https://, not with ${protocol}`);
}
