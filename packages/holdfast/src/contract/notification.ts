import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { idSchema, lineSchema, timeSchema, wholeSchema } from "./scalars.ts";

export const noticeKindSchema = component("NoticeKind", () =>
  z
    .enum(["needsYou", "finished", "failed"])
    .describe(
      "needsYou: a request waits for a person; finished: a run completed; failed: a run or prompt failed",
    ),
);
export type NoticeKind = Wire<typeof noticeKindSchema>;

export const noticeSchema = component("SessionNotice", () =>
  z.object({
    kind: noticeKindSchema.nullable().describe("null: people are not notified about this event"),
    quiet: z
      .enum(["seen", "muted", "quietHours", "over"])
      .nullable()
      .describe(
        "why no device should notify the person now; null: notify. over: the request no longer waits for a person",
      ),
  }),
);
export type SessionNotice = Wire<typeof noticeSchema>;

export const seenBody = component("SeenInput", () =>
  z.strictObject({ seq: wholeSchema.describe("seq of the last event that the person has seen") }),
);

const minuteOfDay = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of day, such as 22:00" });

const timeZone = z
  .string()
  .max(100)
  .refine(isTimeZone, { error: "must be a time zone, such as Europe/Berlin" });

const quietHours = component("QuietHours", () =>
  z
    .strictObject({
      from: minuteOfDay,
      to: minuteOfDay.describe("an earlier time than `from` means the next day"),
      timeZone,
    })
    .refine(({ from, to }) => from !== to, { error: "`from` and `to` must differ", path: ["to"] }),
);
export type QuietHoursOnWire = Wire<typeof quietHours>;

export const notificationSettingsSchema = component("NotificationSettings", () =>
  z.object({
    quietHours: quietHours.nullable(),
    muted: z.array(z.string()).describe("ids of muted sessions"),
  }),
);
export type NotificationSettings = Wire<typeof notificationSettingsSchema>;

export const notificationSettingsBody = component("NotificationSettingsInput", () =>
  z.strictObject({
    quietHours: quietHours.nullable().optional().describe("null: no quiet hours"),
    mute: z.array(idSchema).max(100).optional().describe("sessions to mute"),
    unmute: z.array(idSchema).max(100).optional().describe("sessions to unmute"),
  }),
);
export type NotificationSettingsInput = Wire<typeof notificationSettingsBody>;

export const pushSubscriptionSchema = component("PushSubscription", () =>
  z.object({
    subscriptionId: z.string(),
    name: z.string().nullable().describe("name of the device"),
    service: z.string().describe("host of the push service"),
    tokenId: z
      .string()
      .describe(
        "id of the token or browser session that created the subscription; both end together",
      ),
    createdAt: timeSchema,
    failingSince: timeSchema.nullable(),
    problem: z.string().nullable().describe("why the last delivery failed"),
  }),
);
export type PushSubscriptionOnWire = Wire<typeof pushSubscriptionSchema>;

export const pushListSchema = component("PushSubscriptionList", () =>
  z.object({
    publicKey: z.string().describe("VAPID key of the server (RFC 8292), for pushManager.subscribe"),
    items: z.array(pushSubscriptionSchema),
  }),
);
export type PushList = Wire<typeof pushListSchema>;

const base64url = (bytes: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 8) / 6)}}$`), {
    error: `must be ${bytes} bytes in base64url`,
  });

export const pushSubscriptionBody = component("PushSubscriptionInput", () =>
  z.strictObject({
    endpoint: z.url({ protocol: /^https?$/, error: "must be an https address" }).max(2000),
    keys: z
      .strictObject({ p256dh: base64url(65), auth: base64url(16) })
      .describe("keys of the browser (RFC 8291)"),
    language: z.enum(["en", "zh"]).optional().describe("language of the device; default: en"),
    name: lineSchema(100).nullable().optional().describe("name of the device, for the list"),
    renews: z
      .string()
      .max(100)
      .optional()
      .describe(
        "subscriptionId that this device had before: refused if the person has removed the device since then",
      ),
    expirationTime: z
      .number()
      .nullable()
      .optional()
      .describe("ignored, because the push service decides when a subscription expires"),
  }),
);
export type PushSubscriptionInput = Wire<typeof pushSubscriptionBody>;

export const pushTestSchema = component("PushTest", () =>
  z.object({
    response: z.int().nullable().describe("HTTP status of the push service"),
    problem: z.string().nullable(),
  }),
);
export type PushTest = Wire<typeof pushTestSchema>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
