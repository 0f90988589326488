import { t } from "../i18n/text.ts";
import { holdfast } from "./client.ts";
import { changeSettings, locale } from "./settings.ts";

/** Subscribes this browser to push messages. Throws an error that tells the person why that is not possible. */
export async function turnOnPush(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") {
    throw new Error(t().notifications.denied);
  }
  const { publicKey } = await holdfast.notifications.devices();
  const registration = await worker();
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  await tellServer(await registration.pushManager.subscribe(options).catch(refuse));
}

function refuse(error: unknown): never {
  const problem = error instanceof Error ? error.message : String(error);
  throw new Error(t().notifications.notRegistered({ problem }), { cause: error });
}

/** Sends the subscription to the server again, because the browser may have renewed it or signed in again. */
export async function keepPush(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration("/");
  const subscription = await registration?.pushManager.getSubscription();
  if (subscription) await tellServer(subscription);
  else changeSettings({ push: null });
}

async function tellServer(subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  const { subscriptionId } = await holdfast.notifications.addDevice({
    endpoint: endpoint ?? subscription.endpoint,
    keys: { p256dh: keys?.["p256dh"] ?? "", auth: keys?.["auth"] ?? "" },
    language: locale(),
    name: deviceName(navigator.userAgent),
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
