import { call } from "./call.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type {
  NotificationSettings,
  NotificationSettingsInput,
  PushSubscription,
  PushSubscriptionInput,
  PushSubscriptionList,
  PushTest,
} from "./types.gen.ts";

/**
 * Notification settings and devices of the person behind this client's token.
 *
 * @example
 * await holdfast.notifications.change({ mute: ["session-4f2a"] });
 */
export interface Notifications {
  /** Returns the quiet hours and the muted sessions. */
  settings(options?: CallOptions): Promise<NotificationSettings>;
  /** Changes the quiet hours, and mutes or unmutes sessions. */
  change(input: NotificationSettingsInput & CallOptions): Promise<NotificationSettings>;
  /**
   * Lists the devices that receive push messages. Also returns the server's public key, which is needed to add a
   * device.
   */
  devices(options?: CallOptions): Promise<PushSubscriptionList>;
  /** Sends push messages to a device from now on. */
  addDevice(input: PushSubscriptionInput & CallOptions): Promise<PushSubscription>;
  /** Sends no more push messages to a device. */
  removeDevice(subscriptionId: string, options?: CallOptions): Promise<void>;
  /** Sends a test message to a device. */
  testDevice(subscriptionId: string, options?: CallOptions): Promise<PushTest>;
}

export function notificationsOf(transport: Transport): Notifications {
  return {
    settings: (options = {}) => call(transport, "GET /v1/notifications", options),
    change: ({ signal, patience, ...body }) =>
      call(transport, "PATCH /v1/notifications", { body, signal, patience }),
    devices: (options = {}) => call(transport, "GET /v1/push", options),
    addDevice: ({ signal, patience, ...body }) =>
      call(transport, "POST /v1/push", { body, signal, patience }),
    removeDevice: async (subscriptionId, options = {}) => {
      const params = { subscriptionId };
      await call(transport, "DELETE /v1/push/{subscriptionId}", { params, ...options });
    },
    testDevice: (subscriptionId, options = {}) => {
      const params = { subscriptionId };
      const path = "POST /v1/push/{subscriptionId}/test" as const;
      return call(transport, path, { params, ...options, repeatable: false });
    },
  };
}
