import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { pageQuery, pageSchema } from "./page.ts";
import { idSchema, timeSchema } from "./scalars.ts";

const webhookEvent = z
  .enum(["prompt.settled", "ask.opened", "ask.closed", "notice"])
  .describe("notice: every event that people are notified about; the field `notice` has the kind");

export const webhookSchema = component("Webhook", () =>
  z.object({
    webhookId: z.string(),
    url: z.string(),
    events: z.array(webhookEvent),
    sessionId: z.string().nullable().describe("null: all sessions"),
    directories: z
      .array(z.string())
      .nullable()
      .describe("directories of the token that created it"),
    createdAt: timeSchema,
    failingSince: timeSchema.nullable(),
  }),
);
export type Webhook = Wire<typeof webhookSchema>;

export const newWebhookSchema = component("NewWebhook", () =>
  z.object({
    ...webhookSchema.unwrap().shape,
    secret: z.string().describe("signs every delivery; shown only once"),
  }),
);
export type NewWebhook = Wire<typeof newWebhookSchema>;

export const webhookPageSchema = pageSchema("WebhookPage", webhookSchema);

export const webhookBody = component("WebhookInput", () =>
  z.strictObject({
    webhookId: idSchema.optional(),
    url: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).max(2000),
    events: z.array(webhookEvent).min(1).max(10),
    sessionId: idSchema.nullable().optional().describe("default: all sessions"),
  }),
);
export type WebhookInput = Wire<typeof webhookBody>;

export const deliverySchema = component("WebhookDelivery", () =>
  z.object({
    deliveryId: z.string(),
    event: z.string(),
    sessionId: z.string().nullable(),
    seq: z.int().nullable(),
    at: timeSchema,
    tries: z.int(),
    status: z.enum(["pending", "delivered", "failed"]),
    response: z.int().nullable().describe("HTTP status of the last attempt"),
    problem: z.string().nullable(),
  }),
);
export type WebhookDelivery = Wire<typeof deliverySchema>;

export const deliveryPageSchema = pageSchema("WebhookDeliveryPage", deliverySchema);

export const deliveriesQuery = pageQuery;
