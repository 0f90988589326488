import { announcements, inputLine } from "./announcements.ts";
import type { Client } from "./client.ts";
import { layout } from "./layout.ts";
import { PlainScreen } from "./screen/plain-screen.ts";

/** Redraws the live region. In screen-reader mode, prints only the texts that have changed. */
export function draw(client: Client): void {
  const { screen } = client;
  if (screen instanceof PlainScreen) screen.announce(announcements(client), inputLine(client));
  else screen.paint(layout(client));
}
