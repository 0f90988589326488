import { attachmentsOf } from "./attachments.ts";
import type { Attachments } from "./attachments.ts";
import type { Backoff } from "./backoff.ts";
import { call } from "./call.ts";
import { feedStream } from "./feed-stream.ts";
import type { FeedItem, FeedOptions } from "./feed-stream.ts";
import { maintenanceOf } from "./maintenance.ts";
import type { Maintenance } from "./maintenance.ts";
import { notificationsOf } from "./notifications.ts";
import type { Notifications } from "./notifications.ts";
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
  Activity,
  ServerTimeline,
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
import { rulesOf } from "./rules.ts";
import type { Rules } from "./rules.ts";
import { searchOf } from "./search.ts";
import type { Search } from "./search.ts";
import { configOf, mcpServersOf, providersOf, workspacesOf } from "./workspaces.ts";
import type { Config, McpServers, Providers, Workspaces } from "./workspaces.ts";

/** Options of `connect`. Only `url` is required. */
export interface ConnectOptions {
  /** Address of the server, such as `http://127.0.0.1:4747`. It may include a path. */
  readonly url: string;
  /**
   * Token from `holdfast server token create`. Only the server's own web page needs none: it sends a cookie and the
   * header `x-holdfast-key` instead.
   */
  readonly token?: string | undefined;
  /** Name of this program. The log shows it after the name of the token. */
  readonly client?: string | undefined;
  /** Replaces the platform's `fetch`, for example to call a server in the same process without a socket. */
  readonly fetch?: ((request: Request) => Response | Promise<Response>) | undefined;
  /**
   * Milliseconds to keep retrying while the server does not answer. Default: 60,000. For streams and outcomes, which
   * may take days, the time starts again whenever the server sends something.
   */
  readonly patience?: number | undefined;
  /** Timeout of one attempt in milliseconds. Default: 30,000. */
  readonly tryTimeout?: number | undefined;
  /** Pauses between attempts. Default: 100 ms, doubled up to 5 s. */
  readonly backoff?: Backoff | undefined;
  /** Clock, timers and randomness. Tests replace them. */
  readonly timing?: Timing | undefined;
}

/** Client of a Holdfast server. It sends nothing before you call a method. */
export interface Holdfast {
  readonly sessions: Sessions;
  readonly attachments: Attachments;
  readonly webhooks: Webhooks;
  readonly tokens: Tokens;
  readonly notifications: Notifications;
  readonly workspaces: Workspaces;
  readonly rules: Rules;
  readonly search: Search;
  readonly maintenance: Maintenance;
  readonly providers: Providers;
  readonly mcp: McpServers;
  readonly config: Config;
  /** Returns a handle for a session id. Sends no request. */
  session(sessionId: string): SessionHandle;
  /** Lists the permission requests and questions of all sessions that wait for an answer. */
  asks(options?: AskQuery & CallOptions): Promise<AskPage>;
  /** Yields the entries of all pages of `asks`. */
  eachAsk(options?: AskQuery & CallOptions): AsyncGenerator<Ask>;
  /** Follows the events of all sessions. Each session's events arrive once and in order (T2). */
  events(options?: FeedOptions): AsyncGenerator<FeedItem>;
  /** Returns the name, role and directories of this client's token. */
  me(options?: CallOptions): Promise<Me>;
  /** Returns the state of the server: version, runs, warnings. */
  status(options?: CallOptions): Promise<Status>;
  /** Summarizes prompts, waiting times, failures and cost of all sessions over the last minutes or hours. */
  activity(query?: Routes["GET /v1/activity"]["query"] & CallOptions): Promise<Activity>;
  /** Returns the latest events of sessions with unfinished work and of recently active sessions, without long texts. */
  timeline(query?: Routes["GET /v1/timeline"]["query"] & CallOptions): Promise<ServerTimeline>;
  /** Lists the server processes that share the database. */
  nodes(options?: CallOptions): Promise<NodeList>;
  /** Checks that the server answers. Needs no token. */
  health(options?: CallOptions & Routes["GET /healthz"]["query"]): Promise<Health>;
  /** Stops the server after active runs have ended or were handed over. */
  stop(input?: StopInput & CallOptions): Promise<Stopping>;
  /** Creates a link that signs a browser in to the web page. It works once. */
  link(options?: CallOptions): Promise<Link>;
  /** Signs this browser in with the code of a link. The answer sets the cookie. */
  signIn(input: SignInInput & CallOptions): Promise<SignedIn>;
  /** Signs this browser out. The server refuses this if the client uses a token and not the browser's cookie. */
  signOut(options?: CallOptions): Promise<void>;
}

type AskQuery = Routes["GET /v1/asks"]["query"];

/**
 * Creates a client for a Holdfast server. No request is sent yet.
 *
 * @example
 * const token = "..."; // the content of the file `token` in the server's data folder
 * const holdfast = connect({ url: "http://127.0.0.1:4747", token });
 * const session = await holdfast.sessions.create({ directory: "/project" });
 * const prompt = await session.prompt("make the failing test pass"); // stored from here on
 * const { status, text } = await prompt.settled();
 */
export function connect(options: ConnectOptions): Holdfast {
  const { url, token, client, timing = systemTiming, fetch = globalThis.fetch } = options;
  const settings = {
    url: checkedUrl(url),
    token: checkedToken(token),
    client: client ?? null,
    timing,
    // A browser's fetch throws if it is called as a method.
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
    notifications: notificationsOf(transport),
    workspaces: workspacesOf(transport),
    rules: rulesOf(transport),
    search: searchOf(transport),
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
    timeline: ({ signal, patience, ...query } = {}) =>
      call(transport, "GET /v1/timeline", { query, signal, patience }),
    activity: ({ signal, patience, ...query } = {}) =>
      call(transport, "GET /v1/activity", { query, signal, patience }),
    nodes: (options = {}) => call(transport, "GET /v1/nodes", options),
    health: ({ signal, patience, ...query } = {}) =>
      call(anonymous, "GET /healthz", { query, signal, patience }),
    stop: ({ signal, patience, ...body } = {}) =>
      call(transport, "POST /v1/stop", { body, signal, patience }),
    link: (options = {}) => call(transport, "POST /v1/link", options),
    // Do not retry, because the code works only once.
    signIn: ({ signal, patience, ...body }) =>
      call(anonymous, "POST /v1/sign-in", { body, signal, patience, repeatable: false }),
    signOut: async (options = {}) => {
      await call(transport, "POST /v1/sign-out", options);
    },
  };
}

/** Rejects a malformed token early: the error of a later request would print the token. */
function checkedToken(token: string | undefined): string | null {
  const trimmed = token?.trim() ?? null;
  if (trimmed === null || /^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new TypeError("the token contains a space or a character that is not ASCII; copy it again");
}

function checkedUrl(url: string): string {
  const { protocol, href, username, password } = new URL(url);
  if (username !== "" || password !== "") {
    throw new TypeError("the url contains a user name or password; remove it and pass a token");
  }
  if (protocol === "http:" || protocol === "https:") return href.replace(/\/+$/, "");
  throw new TypeError(`the url must start with http:// or https://, not with ${protocol}`);
}
