import {
  noticeSchema,
  notificationSettingsBody,
  notificationSettingsSchema,
  pushListSchema,
  pushSubscriptionBody,
  pushSubscriptionSchema,
  pushTestSchema,
  seenBody,
} from "../notification.ts";
import { bodyLimits } from "../route.ts";
import type { Route } from "../route.ts";

const settings = {
  kind: "json",
  schema: notificationSettingsSchema,
  description: "the settings of the caller",
} as const;

// Each route reads and changes only the caller's own data, so the lowest role is enough.
export const notificationRoutes = {
  getNotificationSettings: {
    method: "GET",
    path: "/v1/notifications",
    tag: "notifications",
    role: "observe",
    summary: "Get the caller's quiet hours and muted sessions",
    description:
      "A token shares its settings with every browser session that was made from the token.",
    answers: { 200: settings },
    errors: ["notOffered"],
  },
  changeNotificationSettings: {
    method: "PATCH",
    path: "/v1/notifications",
    tag: "notifications",
    role: "observe",
    summary: "Change the caller's quiet hours, and mute or unmute sessions",
    body: { kind: "json", schema: notificationSettingsBody, maxBytes: bodyLimits.small },
    answers: { 200: settings },
    errors: ["notOffered"],
  },
  getNotice: {
    method: "GET",
    path: "/v1/sessions/{sessionId}/notices/{seq}",
    tag: "notifications",
    role: "observe",
    summary: "Get whether an event should notify the caller now",
    description:
      "A client sends this request before it rings a bell or shows a notification. Events that were seen on another device, muted sessions and quiet hours notify nobody.",
    answers: { 200: { kind: "json", schema: noticeSchema, description: "the notice" } },
    errors: ["notOffered", "unknownSession", "unknownEvent"],
  },
  markSeen: {
    method: "POST",
    path: "/v1/sessions/{sessionId}/seen",
    tag: "notifications",
    role: "observe",
    summary: "Record how far the caller has seen a session",
    description:
      "The caller's other devices are not notified about events up to `seq`, and notifications about these events are removed from those devices.",
    body: { kind: "json", schema: seenBody, maxBytes: bodyLimits.small },
    answers: { 204: { kind: "none", description: "recorded" } },
    errors: ["notOffered", "unknownSession"],
  },
  listPushSubscriptions: {
    method: "GET",
    path: "/v1/push",
    tag: "notifications",
    role: "observe",
    summary: "List the caller's devices that receive push messages",
    answers: { 200: { kind: "json", schema: pushListSchema, description: "the devices" } },
    errors: ["notOffered"],
  },
  addPushSubscription: {
    method: "POST",
    path: "/v1/push",
    tag: "notifications",
    role: "observe",
    summary: "Send push messages to a device of the caller",
    description:
      "Messages are encrypted for the browser (RFC 8291) and contain no text of a session. The subscription ends with the token that created it.",
    body: { kind: "json", schema: pushSubscriptionBody, maxBytes: bodyLimits.small },
    answers: {
      201: { kind: "json", schema: pushSubscriptionSchema, description: "the subscription" },
    },
    errors: ["notOffered", "unknownSubscription"],
  },
  removePushSubscription: {
    method: "DELETE",
    path: "/v1/push/{subscriptionId}",
    tag: "notifications",
    role: "observe",
    summary: "Send no more push messages to a device of the caller",
    answers: { 204: { kind: "none", description: "the subscription is deleted" } },
    errors: ["notOffered", "unknownSubscription"],
  },
  testPushSubscription: {
    method: "POST",
    path: "/v1/push/{subscriptionId}/test",
    tag: "notifications",
    role: "observe",
    summary: "Send a test message to a device of the caller",
    answers: { 200: { kind: "json", schema: pushTestSchema, description: "the result" } },
    errors: ["notOffered", "unknownSubscription"],
  },
} as const satisfies Record<string, Route>;
