import { createHash, createHmac } from "node:crypto";

/** What goes with a delivery, so that its receiver can tell where it comes from and how old it is. */
export function deliveryHeaders(delivery: {
  deliveryId: string;
  event: string;
  body: string;
  at: number;
  secret: string;
}): Record<string, string> {
  const { deliveryId, event, body, at, secret } = delivery;
  const signature = createHmac("sha256", secret).update(`${at}.${body}`).digest("hex");
  return {
    "content-type": "application/json",
    "user-agent": "holdfast-webhook",
    "holdfast-delivery": deliveryId,
    "holdfast-event": event,
    "holdfast-timestamp": String(at),
    "holdfast-signature": `v1=${signature}`,
  };
}

/** The same for the same event, whoever sends it and how often: receivers can drop what they have. */
export function deliveryIdOf(source: {
  webhookId: string;
  sessionId: string;
  seq: number;
}): string {
  const { webhookId, sessionId, seq } = source;
  const text = JSON.stringify([webhookId, sessionId, seq]);
  return `delivery-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}
