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

export interface Webhooks {
  /** Has settled prompts and asks sent to an address. The secret in the answer is shown this once. */
  create(input: WebhookInput & CallOptions): Promise<NewWebhook>;
  list(options?: PageOptions): Promise<WebhookPage>;
  each(options?: PageOptions): AsyncGenerator<Webhook>;
  get(webhookId: string, options?: CallOptions): Promise<Webhook>;
  remove(webhookId: string, options?: CallOptions): Promise<void>;
  /** What was sent lately, and what became of it. */
  deliveries(webhookId: string, options?: PageOptions): Promise<WebhookDeliveryPage>;
  test(webhookId: string, options?: CallOptions): Promise<WebhookDelivery>;
}

export function webhooksOf(transport: Transport): Webhooks {
  const list: Webhooks["list"] = ({ signal, patience, ...query } = {}) =>
    call(transport, "GET /v1/webhooks", { query, signal, patience });
  return {
    // A second sending would be refused, and the secret of the first is gone: it is sent once.
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
