import { Refused } from "@holdfast/sdk";
import { t } from "../i18n/text.ts";
import { holdfast } from "./client.ts";
import { changeSettings, locale, push } from "./settings.ts";

/** Subscribes this browser to push messages. Throws an error that tells the person why that is not possible. */
export async function turnOnPush(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") {
    throw new Error(t().notifications.denied);
  }
  const { publicKey } = await holdfast.notifications.devices();
  const registration = await worker();
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  const subscribed = registration.pushManager.subscribe(options);
  await tellServer(await Promise.race([subscribed, silence()]).catch(refuse), {});
}

/** Milliseconds to wait for the browser's push service. Chromium waits forever if it cannot reach the service. */
const longestWait = 30_000;

/** Rejects if the push service has not answered within the longest wait. */
function silence(): Promise<never> {
  const problem = t().notifications.noPushService({ seconds: longestWait / 1000 });
  return new Promise((_, reject) => setTimeout(() => reject(new Error(problem)), longestWait));
}

function refuse(error: unknown): never {
  const problem = error instanceof Error ? error.message : String(error);
  throw new Error(t().notifications.notRegistered({ problem }), { cause: error });
}

/**
 * Sends the subscription to the server again, because the browser may have renewed it or signed in again. If the person
 * has turned this browser off on another device, unsubscribes it.
 */
export async function keepPush(): Promise<void> {
  const renews = push();
  const registration = await navigator.serviceWorker?.getRegistration("/");
  const subscription = await registration?.pushManager.getSubscription();
  if (!subscription || renews === null) {
    changeSettings({ push: null });
    return;
  }
  try {
    await tellServer(subscription, { renews });
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "unknownSubscription") throw error;
    changeSettings({ push: null });
    await subscription.unsubscribe();
  }
}

async function tellServer(
  subscription: PushSubscription,
  renewal: { readonly renews?: string },
): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  const { subscriptionId } = await holdfast.notifications.addDevice({
    endpoint: endpoint ?? subscription.endpoint,
    keys: { p256dh: keys?.["p256dh"] ?? "", auth: keys?.["auth"] ?? "" },
    language: locale(),
    name: deviceName(navigator.userAgent),
    ...renewal,
  });
  changeSettings({ push: subscriptionId });
}

/** Unsubscribes this browser from push messages. */
export async function turnOffPush(subscriptionId: string): Promise<void> {
  changeSettings({ push: null });
  const registration = await navigator.serviceWorker?.getRegistration("/");
  const subscription = await registration?.pushManager.getSubscription();
  await subscription?.unsubscribe();
  await holdfast.notifications.removeDevice(subscriptionId);
}

async function worker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register("/push-worker.js", { scope: "/", updateViaCache: "none" });
  return navigator.serviceWorker.ready;
}

const systems = ["Android", "iPhone", "iPad", "Mac", "Windows", "Linux"] as const;
const browsers = ["Firefox", "Edg", "Chrome", "Safari"] as const;

/** Returns a name for the list of devices, such as `Chrome, Android`. */
export function deviceName(agent: string): string {
  const browser = browsers.find((name) => agent.includes(name)) ?? "Browser";
  const system = systems.find((name) => agent.includes(name));
  return [browser === "Edg" ? "Edge" : browser, system].filter(Boolean).join(", ");
}
