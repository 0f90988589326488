import type { TestContext } from "node:test";
import { isPrivateHost, publicLookup } from "../../../src/agent/tools/address.ts";
import { createAttentions } from "../../../src/server/notifications/attention.ts";
import { createNotifications } from "../../../src/server/notifications/notifications.ts";
import type { RunningNotifications } from "../../../src/server/notifications/notifications.ts";
import type { Principal, Push } from "../../../src/server/ports.ts";
import { addToken } from "../../../src/server/security/token-record.ts";
import { waitFor } from "../../support/wait-for.ts";
import { openStreamFixture } from "../stream/stream-fixture.ts";
import type { StreamFixture } from "../stream/stream-fixture.ts";
import { createDevice, startPushService } from "./device.ts";
import type { Device, PushArrival, PushService } from "./device.ts";

export interface Stage {
  readonly fixture: StreamFixture;
  readonly service: PushService;
  readonly notifications: RunningNotifications;
  readonly push: Push;
  /** Creates a token, which can have any number of browser sessions. */
  readonly person: (directories?: readonly string[]) => Promise<Person>;
  readonly subscribe: (browser: Principal, path: string) => Promise<Subscribed>;
}

export interface Person {
  readonly tokenId: string;
  readonly browser: () => Promise<Principal>;
}

export interface Subscribed {
  readonly device: Device;
  readonly path: string;
}

export async function openStage(
  context: TestContext,
  options: { allowPrivate?: boolean } = {},
): Promise<Stage> {
  const service = await startPushService(context);
  // Registered before the store is opened, because the store must be closed last.
  let running: RunningNotifications | null = null;
  context.after(() => running?.close());
  const fixture = await openStreamFixture(context);
  const { store } = fixture.runtime;
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  const notifications = createNotifications({
    store,
    attentions: createAttentions({ records: store, now: Date.now }),
    push: {
      follower: fixture.follower,
      addresses: { isPrivateHost, publicLookup },
      allowPrivate: options.allowPrivate ?? true,
      contact: "mailto:operator@example.org",
      pause: () => 1,
      grace: 0,
      onError: (error) => {
        throw error;
      },
    },
  });
  running = notifications;
  const push = await notifications.push();
  const token = async (input: Partial<Parameters<typeof addToken>[1]>): Promise<string> => {
    const { token: added } = await addToken(store, { ...usualToken, ...input });
    return added.tokenId;
  };
  return {
    fixture,
    service,
    notifications,
    push,
    person: async (directories) => {
      const limit = directories === undefined ? null : [...directories];
      const parentId = await token({ directories: limit });
      return {
        tokenId: parentId,
        browser: async () => {
          const tokenId = await token({ directories: limit, kind: "browser", parentId });
          return { ...someone, tokenId, directories: limit };
        },
      };
    },
    subscribe: async (browser, path) => {
      const device = createDevice();
      const input = { endpoint: `${service.origin}${path}`, keys: device.keys };
      await push.add(input, tokenOf(browser));
      return { device, path };
    },
  };
}

export const emptySubscription = {
  subscriptionId: "push-none",
  endpoint: "https://push.example.net/",
  p256dh: "",
  auth: "",
  language: "en",
  name: null,
  createdAt: 1,
} as const;

const usualToken = {
  name: "someone",
  role: "prompt",
  directories: null,
  createdAt: 1,
  createdBy: null,
  expiresAt: null,
  kind: "token",
  keyHash: null,
  parentId: null,
} as const;

const someone: Omit<Principal, "tokenId"> = {
  name: "someone",
  role: "prompt",
  directories: null,
  actor: { kind: "client", id: "someone" },
  revoked: new AbortController().signal,
};

export function tokenOf({ tokenId }: Principal): string {
  return tokenId ?? "";
}

export interface Opened {
  readonly kind: string;
  readonly sessionId: string;
  readonly language: string;
}

/** The decrypted messages of a device, without their seq. */
export function messages({ device, path }: Subscribed, { arrived }: PushService): Opened[] {
  const own = arrived.filter((each: PushArrival) => each.path === path);
  return own.map(({ body }) => {
    const { seq: _, ...rest }: Opened & { seq: number } = JSON.parse(device.decrypt(body));
    return rest;
  });
}

/** Opens an ask. The returned function answers it and waits for the end of the run. */
export async function ask(
  fixture: StreamFixture,
  sessionId: string,
): Promise<{ answer: () => Promise<void> }> {
  const { runtime, puppets } = fixture;
  await runtime.prompt({ sessionId, promptId: "asks", text: "ask" });
  const puppet = await puppets.next(sessionId);
  await puppet.boundary();
  const asked = puppet.context.ask({ askId: "ask", question: "May I?" });
  await waitFor(() => runtime.store.ask(sessionId, "ask"), { describe: "the ask" });
  return {
    answer: async () => {
      await runtime.answer({ sessionId, askId: "ask", verdict: "allow" });
      await asked;
      await puppet.finish();
      await runtime.wait({ sessionId, promptId: "asks" });
    },
  };
}

export async function lastOf(fixture: StreamFixture, type: string): Promise<number> {
  const events = await fixture.runtime.store.events("main", { after: null, limit: 1000 });
  return events.findLast((event) => event.type === type)?.seq ?? 0;
}

/** Returns a time zone in which it is not nearly 23:59, the only minute outside of the test's quiet hours. */
export function quietZone(): string {
  return new Date().getUTCHours() === 23 ? "Asia/Shanghai" : "UTC";
}
