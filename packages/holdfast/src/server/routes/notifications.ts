import type { notificationRoutes } from "../../contract/routes/notifications.ts";
import { ApiError } from "../errors.ts";
import type { Handlers } from "../handler.ts";
import type { Notifications, Principal } from "../ports.ts";
import { expectSession, offered } from "./route-services.ts";
import type { RouteServices } from "./route-services.ts";

export function notificationHandlers(
  services: RouteServices & { readonly notifications: Notifications | null },
): Handlers<keyof typeof notificationRoutes> {
  const { runtime } = services;
  const all = (): Notifications => offered(services.notifications, "notifications");
  return {
    getNotificationSettings: async ({ principal }) => ({
      status: 200,
      body: await all().settings(principal),
    }),
    changeNotificationSettings: async ({ principal, body }) => ({
      status: 200,
      body: await all().change(principal, body),
    }),
    getNotice: async ({ principal, params }) => {
      await expectSession(runtime, params.sessionId);
      const notice = await all().notice(principal, params);
      if (notice !== null) return { status: 200, body: notice };
      const { sessionId, seq } = params;
      throw new ApiError("unknownEvent", `session ${sessionId} has no event ${seq}`);
    },
    markSeen: async ({ principal, params, body }) => {
      await expectSession(runtime, params.sessionId);
      await all().markSeen(principal, { ...params, ...body });
      return { status: 204 };
    },
    listPushSubscriptions: async ({ principal }) => {
      const push = await all().push();
      return { status: 200, body: await push.list(tokenOf(principal)) };
    },
    addPushSubscription: async ({ principal, body }) => {
      const push = await all().push();
      return { status: 201, body: await push.add(body, tokenOf(principal)) };
    },
    removePushSubscription: async ({ principal, params }) => {
      const push = await all().push();
      await push.remove(params.subscriptionId, tokenOf(principal));
      return { status: 204 };
    },
    testPushSubscription: async ({ principal, params }) => {
      const push = await all().push();
      return { status: 200, body: await push.test(params.subscriptionId, tokenOf(principal)) };
    },
  };
}

function tokenOf({ tokenId }: Principal): string {
  if (tokenId !== null) return tokenId;
  throw new ApiError(
    "notOffered",
    "push subscriptions belong to an access token; send the request with a token",
  );
}
