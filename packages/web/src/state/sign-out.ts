import { holdfast } from "./client.ts";
import { dropBrowserKey } from "./own-fetch.ts";
import { push } from "./settings.ts";

/** Signs this browser out and unsubscribes it from push messages. */
export async function signOut(): Promise<void> {
  const subscriptionId = push();
  if (subscriptionId !== null) {
    const { turnOffPush } = await import("./push.ts");
    // Ignore a failure: the sign-out removes the subscription on the server in any case.
    await turnOffPush(subscriptionId).catch(() => {});
  }
  await holdfast.signOut();
  dropBrowserKey();
  location.assign("/");
}
