import type { Holdfast, NotificationSettings, PushSubscription } from "@holdfast/sdk";
import { openClient } from "../../compose/client.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode, JsonOption } from "../cli-error.ts";
import { expectSession, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { findIn, findSession, shortId } from "../ids.ts";
import { oneLine } from "../terminal/printable.ts";

/** Quiet hours of a day. */
export type Hours = { readonly from: string; readonly to: string } | "off";

export interface NotificationsOptions extends ClientOptions, JsonOption {
  readonly quiet?: Hours;
  readonly mute?: readonly string[];
  readonly unmute?: readonly string[];
}

/** `holdfast notifications`: changes and prints the notification settings of the person behind the token. */
export async function showNotifications(options: NotificationsOptions): Promise<ExitCode> {
  const { quiet, mute = [], unmute = [], json = false } = options;
  await using client = await openClient(placeOf(options), "server");
  const { holdfast, url } = client;
  // The id may be mistyped.
  const existing = async (word: string): Promise<string> => {
    const session = holdfast.session(await findSession(holdfast, word));
    return (await expectSession(session, { url, store: options.store })).sessionId;
  };
  const muted = unmute.length === 0 ? [] : (await holdfast.notifications.settings()).muted;
  // A muted session can be unmuted even if it was deleted.
  const existingOrMuted = (word: string): Promise<string> =>
    existing(word).catch((error: unknown) => {
      const sessionId = findIn(muted, { text: word, kind: "session" });
      if (!muted.includes(sessionId)) throw error;
      return sessionId;
    });
  const isChange = quiet !== undefined || mute.length + unmute.length > 0;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const settings = isChange
    ? await holdfast.notifications.change({
        ...(quiet === undefined
          ? {}
          : { quietHours: quiet === "off" ? null : { ...quiet, timeZone } }),
        mute: await Promise.all(mute.map(existing)),
        unmute: await Promise.all(unmute.map(existingOrMuted)),
      })
    : await holdfast.notifications.settings();
  const { items: devices } = await holdfast.notifications.devices();
  if (json) console.log(JSON.stringify({ ...settings, devices }));
  else await print(holdfast, settings, devices);
  return exitCodes.ok;
}

async function print(
  holdfast: Holdfast,
  { quietHours, muted }: NotificationSettings,
  devices: readonly PushSubscription[],
): Promise<void> {
  const hours =
    quietHours === null
      ? "none"
      : `${quietHours.from} to ${quietHours.to} (${quietHours.timeZone})`;
  console.log(`Quiet hours: ${hours}`);
  console.log(`Muted sessions: ${muted.length === 0 ? "none" : ""}`.trimEnd());
  for (const sessionId of muted) {
    // A muted session may have been deleted.
    const found = await holdfast
      .session(sessionId)
      .get()
      .catch(() => null);
    console.log(`  ${shortId(sessionId)}  ${oneLine(found?.title ?? "", 80)}`.trimEnd());
  }
  console.log(`Devices with push messages: ${devices.length === 0 ? "none" : ""}`.trimEnd());
  for (const { name, service, problem } of devices) {
    const state = problem === null ? "" : `  failing: ${problem}`;
    console.log(`  ${oneLine(name ?? "Unnamed device", 80)} (${service})${oneLine(state, 200)}`);
  }
}
