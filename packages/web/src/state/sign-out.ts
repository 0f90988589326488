import { holdfast } from "./client.ts";
import { dropBrowserKey } from "./own-fetch.ts";
import { push } from "./settings.ts";

/** Signs this browser out. Its push messages end too. */
export async function signOut(): Promise<void> {
  const subscriptionId = push();
  if (subscriptionId !== null) {
    const { turnOffPush } = await import("./push.ts");
    // The sign-out ends the subscription on the server even if this fails.
    await turnOffPush(subscriptionId).catch(() => {});
  }
  await holdfast.signOut();
  dropBrowserKey();
  location.assign("/");
}
