import { call } from "./call.ts";
import { newId } from "./ids.ts";
import { eachItem } from "./pages.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type {
  NewWebhook,
  Routes,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookInput,
  WebhookPage,
} from "./types.gen.ts";

type PageOptions = Routes["GET /v1/webhooks"]["query"] & CallOptions;

/**
 * HTTP callbacks for outcomes and permission requests.
 *
 * @example
 * const { secret } = await holdfast.webhooks.create({
 *   url: "https://example.com/holdfast",
 *   events: ["prompt.settled"],
 * });
 */
export interface Webhooks {
  /** Creates a webhook. Only this answer contains the secret that signs deliveries. */
  create(input: WebhookInput & CallOptions): Promise<NewWebhook>;
  /** Lists webhooks. */
  list(options?: PageOptions): Promise<WebhookPage>;
  /** Yields the webhooks of all pages of `list`. */
  each(options?: PageOptions): AsyncGenerator<Webhook>;
  /** Returns one webhook. */
  get(webhookId: string, options?: CallOptions): Promise<Webhook>;
  /** Deletes a webhook. */
  remove(webhookId: string, options?: CallOptions): Promise<void>;
  /** Lists recent deliveries with their results. */
  deliveries(webhookId: string, options?: PageOptions): Promise<WebhookDeliveryPage>;
  /** Sends a test delivery. */
  test(webhookId: string, options?: CallOptions): Promise<WebhookDelivery>;
}

export function webhooksOf(transport: Transport): Webhooks {
  const list: Webhooks["list"] = ({ signal, patience, ...query } = {}) =>
    call(transport, "GET /v1/webhooks", { query, signal, patience });
  return {
    // No retry: a retry would be refused, and the secret in the lost answer would still be missing.
    create: ({ signal, patience, webhookId = newId("webhook"), ...input }) => {
      const body = { ...input, webhookId };
      return call(transport, "POST /v1/webhooks", { body, signal, patience, repeatable: false });
    },
    list,
    each: (options = {}) => eachItem(options.after, (after) => list({ ...options, after })),
    get: (webhookId, options = {}) =>
      call(transport, `GET ${path}`, { params: { webhookId }, ...options }),
    remove: async (webhookId, options = {}) => {
      await call(transport, `DELETE ${path}`, { params: { webhookId }, ...options });
    },
    deliveries: (webhookId, { signal, patience, ...query } = {}) => {
      const params = { webhookId };
      return call(transport, `GET ${path}/deliveries`, { params, query, signal, patience });
    },
    test: (webhookId, options = {}) => {
      const params = { webhookId };
      return call(transport, `POST ${path}/test`, { params, ...options, repeatable: false });
    },
  };
}

const path = "/v1/webhooks/{webhookId}";
