import type { Holdfast } from "@holdfast/sdk";
import type { Client } from "../client.ts";

/**
 * Returns the server for a command that the user has typed. If the server was stopped, starts one. If the client is not
 * connected yet, says so and returns null.
 */
export async function reachServer(client: Client): Promise<Holdfast | null> {
  if (client.holdfast === null) client.say("There is no connection to the server yet");
  await client.wake();
  return client.holdfast;
}
