import type { Context } from "hono";
import type { Role, Token } from "../contract/token.ts";
import type { Actor } from "../kernel/event.ts";
import type { Quota } from "./security/quotas.ts";
import type { NewWebhook, Webhook, WebhookDelivery, WebhookInput } from "../contract/webhook.ts";

// What the HTTP application is built from, besides the runtime. All of it refuses by throwing ApiError.

/** Who sends a request, and what they may do. */
export interface Principal {
  /** Null in process, where there are no tokens. */
  readonly tokenId: string | null;
  readonly name: string;
  readonly role: Role;
  /** Real paths; only sessions in or below them exist for it. Null for all. */
  readonly directories: readonly string[] | null;
  /** On everything that it does. */
  readonly actor: Actor;
  /** Aborts when its token is revoked or expires: what it has open ends then. */
  readonly revoked: AbortSignal;
}

/** Where a request came from; null where there is no socket. */
export interface Source {
  readonly address: string | null;
}

export interface Security {
  /** Host and Origin: neither another name of this machine nor another site's page (badHost, badOrigin). */
  checkOrigin(request: Request): void;
  /** Counts a request that needs no token: for its token if it shows a good one, else for its address (rateLimited). */
  limit(request: Request, source: Source): Promise<void>;
  /** Also counts the request (unauthorized, rateLimited). */
  authenticate(request: Request, source: Source): Promise<Principal>;
  /** The quota that changes by the principal count for; null for no limit. */
  quota(principal: Principal): Promise<Quota | null>;
  /** Counts event streams (tooManyStreams); the answer is called when the stream ends. */
  openStream(principal: Principal): () => void;
  /** The answer to a CORS preflight; null where it is not allowed. */
  preflight(request: Request): Response | null;
  /** Sets the headers that every answer has. */
  decorate(request: Request, headers: Headers): void;
  /** The real path of an existing folder that the principal may use (invalid, forbidden). */
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
  /** Null when there is no such token. */
  revoke(tokenId: string): Promise<Token | null>;
}

/** Links that sign a browser in, once. */
export interface Links {
  create(principal: Principal): Promise<{ readonly url: string; readonly expiresAt: number }>;
  /** Refuses a code that is used, expired or unknown (badLink). */
  open(code: string): Promise<{ readonly cookie: string; readonly key: string }>;
}

export interface Lifecycle {
  state(): "starting" | "ready" | "draining";
  /** Begins to drain, and answers how many milliseconds active runs get. */
  stop(deadline: number | null): number;
  /** When active runs are handed over, by this machine's clock; null before it is told to stop. */
  drainingUntil(): number | null;
  /** Aborts when the server is about to close: whoever waits is answered then. */
  readonly closing: AbortSignal;
  /** Seconds after which a refused request may be sent again. */
  retryAfter(): number;
  /** Shows that this server has the owner's token; null where there is none. */
  prove(nonce: string): string | null;
}

/** The sandbox for commands on this machine. */
export interface SandboxStatus {
  /** Null without one. */
  readonly name: string | null;
  readonly problem: string | null;
}

export interface StreamRequest {
  readonly context: Context;
  readonly principal: Principal;
  /** Null for all sessions. */
  readonly sessionId: string | null;
  /** As it came: `Last-Event-ID`, or else `after`; not yet known to be good. */
  readonly after: string | null;
  readonly deltas: boolean;
  readonly follow: boolean;
  /** To be sent with the stream, besides its own. */
  readonly headers: Headers;
  /** To be called once the stream is over, however it ended; not when opening it was refused. */
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
  /** Whether it was there. */
  remove(webhookId: string): Promise<boolean>;
  deliveries(
    webhookId: string,
    page: { after: string | null; limit: number },
  ): Promise<{
    readonly items: readonly WebhookDelivery[];
    readonly cursor: string | null;
  } | null>;
  /** Null when there is no such webhook. */
  test(webhookId: string): Promise<WebhookDelivery | null>;
}

/** What is known of a request once it is answered. `route` is the pattern, never the path. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly path: string;
  readonly status: number;
  /** Seconds. */
  readonly duration: number;
  readonly code: string | null;
  readonly actor: Actor | null;
  /** Set for a bug: what the client is not told. */
  readonly error: unknown;
}

/** Must not throw, and must not take long. */
export interface Observer {
  answered(request: AnsweredRequest): void;
}

export interface Metrics {
  text(): Promise<string>;
}
