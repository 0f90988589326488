import type { Context } from "hono";
import type { Role, Token } from "../contract/token.ts";
import type { Actor } from "../kernel/event.ts";
import type { Quota } from "./security/quotas.ts";
import type {
  NotificationSettings,
  NotificationSettingsInput,
  PushList,
  PushSubscriptionInput,
  PushSubscriptionOnWire,
  PushTest,
  SessionNotice,
} from "../contract/notification.ts";
import type { NewWebhook, Webhook, WebhookDelivery, WebhookInput } from "../contract/webhook.ts";

// Interfaces that the HTTP app needs besides the runtime. They refuse by throwing ApiError.

/** The sender of a request and its permissions. */
export interface Principal {
  /** Null for in-process callers, which have no token. */
  readonly tokenId: string | null;
  readonly name: string;
  readonly role: Role;
  /** Real paths that the principal is limited to; sessions outside of them do not exist for it. Null: no limit. */
  readonly directories: readonly string[] | null;
  /** Actor to record for everything that the principal does. */
  readonly actor: Actor;
  /** Aborts when the token is revoked or expires, which ends its open streams and waiting requests. */
  readonly revoked: AbortSignal;
  /**
   * Set if the sender is an external (hosted) agent. Such an agent may only read data and, over MCP, start tasks of its
   * own run.
   */
  readonly isAgent?: true;
}

/** Network address of the sender; null for in-process callers. */
export interface Source {
  readonly address: string | null;
}

export interface Security {
  /** Refuses requests with an unknown Host header (badHost) or from pages of other sites (badOrigin). */
  checkOrigin(request: Request): void;
  /**
   * Applies the rate limit to a request that may come without a token. A request with a valid token counts for the
   * token, any other request counts for the client's address. Throws rateLimited.
   */
  limit(request: Request, source: Source): Promise<void>;
  /** Identifies the sender and applies its rate limit (unauthorized, rateLimited). */
  authenticate(request: Request, source: Source): Promise<Principal>;
  /** Returns the quota of the principal; null: no limit. */
  quota(principal: Principal): Promise<Quota | null>;
  /** Counts an open event stream, or refuses it with `tooManyStreams`. Call the returned function when the stream ends. */
  openStream(principal: Principal): () => void;
  /** Answers a CORS preflight request; null if it is not allowed. */
  preflight(request: Request): Response | null;
  /** Sets the headers that every response has. */
  decorate(request: Request, headers: Headers): void;
  /**
   * Returns the real path of an existing folder that the principal may use. Throws the error `invalid` if there is no
   * such folder, and `forbidden` if the principal may not use it.
   */
  resolveDirectory(principal: Principal, directory: string): Promise<string>;
}

export interface Tokens {
  list(): Promise<readonly Token[]>;
  create(
    input: {
      name: string;
      role: Role;
      directories: readonly string[] | null;
      expiresAt?: number | null;
    },
    by: Principal,
  ): Promise<{ readonly token: Token; readonly secret: string }>;
  /** Revokes a token. Returns null if there is no such token. */
  revoke(tokenId: string): Promise<Token | null>;
}

/** One-time links that sign in a browser. */
export interface Links {
  create(principal: Principal): Promise<{ readonly url: string; readonly expiresAt: number }>;
  /** Signs in a browser. Refuses a code that was used, has expired or is unknown (badLink). */
  open(code: string): Promise<{ readonly cookie: string; readonly key: string }>;
  /**
   * Ends a browser session. Returns the cookie header that removes its cookie. Throws `invalid` if the token is not a
   * browser session.
   */
  signOut(principal: Pick<Principal, "tokenId">): Promise<string>;
}

export interface Lifecycle {
  state(): "starting" | "ready" | "draining";
  /** Starts to drain. Returns the milliseconds that active runs may still take. */
  stop(deadline: number | null): number;
  /** Returns the time at which active runs are handed over; null before the server is stopped. */
  drainingUntil(): number | null;
  /** Aborts shortly before the server closes, so that waiting requests are answered. */
  readonly closing: AbortSignal;
  /** Seconds after which a client may retry a refused request. */
  retryAfter(): number;
  /** Returns a proof that this server knows the secret of its discovery file; null without a secret. */
  prove(nonce: string): string | null;
}

/** The sandbox for commands on this machine. */
export interface SandboxStatus {
  /** Name of the sandbox; null: there is none. */
  readonly name: string | null;
  readonly problem: string | null;
}

export interface StreamRequest {
  readonly context: Context;
  readonly principal: Principal;
  /** Null: the stream contains the events of all sessions. */
  readonly sessionId: string | null;
  /** Value of the header `Last-Event-ID` or of the query parameter `after`, not validated yet. */
  readonly after: string | null;
  readonly deltas: boolean;
  readonly follow: boolean;
  /** Headers to send with the stream. */
  readonly headers: Headers;
  /** Called once when the stream ends for any reason; not called if opening the stream was refused. */
  readonly ended: () => void;
}

export interface EventStreams {
  session(request: StreamRequest & { readonly sessionId: string }): Promise<Response>;
  all(request: StreamRequest): Promise<Response>;
}

export interface Webhooks {
  list(page: { after: string | null; limit: number }): Promise<{
    readonly items: readonly Webhook[];
    readonly cursor: string | null;
  }>;
  create(input: WebhookInput, by: Principal): Promise<NewWebhook>;
  get(webhookId: string): Promise<Webhook | null>;
  /** Removes a webhook. Returns false if there is no such webhook. */
  remove(webhookId: string): Promise<boolean>;
  deliveries(
    webhookId: string,
    page: { after: string | null; limit: number },
  ): Promise<{
    readonly items: readonly WebhookDelivery[];
    readonly cursor: string | null;
  } | null>;
  /** Sends a test delivery to a webhook. Returns null if there is no such webhook. */
  test(webhookId: string): Promise<WebhookDelivery | null>;
}

/** Push messages to devices. A person can see and change only their own devices. */
export interface Push {
  list(tokenId: string): Promise<PushList>;
  add(input: PushSubscriptionInput, tokenId: string): Promise<PushSubscriptionOnWire>;
  /** Removes a device. Throws `unknownSubscription` if the device belongs to another person. */
  remove(subscriptionId: string, tokenId: string): Promise<void>;
  test(subscriptionId: string, tokenId: string): Promise<PushTest>;
}

export interface Notifications {
  settings(principal: Principal): Promise<NotificationSettings>;
  change(principal: Principal, input: NotificationSettingsInput): Promise<NotificationSettings>;
  /** Returns the notice about an event; null if there is no such event. */
  notice(
    principal: Principal,
    about: { sessionId: string; seq: number },
  ): Promise<SessionNotice | null>;
  markSeen(principal: Principal, mark: { sessionId: string; seq: number }): Promise<void>;
  /** Returns the functions for push messages. Their code is loaded at the first use. */
  push(): Promise<Push>;
}

/** A request that has passed authentication. `route` is the route pattern, not the path. */
export interface AdmittedRequest {
  readonly request: Request;
  readonly method: string;
  readonly route: string;
  /** Seconds since the request arrived. */
  readonly duration: number;
}

/** Summary of an answered request. `route` is the route pattern, not the path. */
export interface AnsweredRequest {
  readonly request: Request;
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly path: string;
  readonly status: number;
  /** Duration of the request in seconds. */
  readonly duration: number;
  readonly code: string | null;
  readonly actor: Actor | null;
  /** The cause of an internal error. The client does not see it. */
  readonly error: unknown;
}

/** Is informed about requests, for logs, metrics and traces. Its functions must not throw and must be fast. */
export interface Observer {
  /** Called when the sender of a request is known. */
  admitted?(request: AdmittedRequest): void;
  /** Called when a request has sent a prompt and the prompt is durable. */
  sent?(request: Request, prompt: { readonly sessionId: string; readonly promptId: string }): void;
  answered(request: AnsweredRequest): void;
}

export interface Metrics {
  text(): Promise<string>;
}
