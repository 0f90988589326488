import type { WireEvent } from "@holdfast/sdk";
import type { Client } from "../client.ts";
import { refreshWorkspace } from "./hosted-agent.ts";

/** Handles an event that was committed while its session is on the screen. */
export function takeNews(client: Client, event: WireEvent): void {
  void client.notifier.announce(event);
  // A run uses the newest config: the default model may differ from the one on the screen.
  if (event.type === "run.started") void showNewConfig(client);
}

async function showNewConfig(client: Client): Promise<void> {
  // Ignore errors: the status line keeps the model that it shows, and the next run tries again.
  await refreshWorkspace(client).catch(() => {});
  client.changed();
}
