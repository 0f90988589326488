import { openClient } from "../../compose/client.ts";
import { placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { watchConnection } from "../connection.ts";
import { offerProviders } from "./run-client.ts";
import type { Opened } from "@holdfast/terminal";

/** Milliseconds for which a request is retried while the server does not answer. */
const patience = 600_000;

/** Joins the server of the store, or starts one. `onAway` is called when the server is lost or back. */
export async function openConnection(
  options: ClientOptions,
  onAway: (isAway: boolean) => void,
): Promise<Opened> {
  const watch = watchConnection({ patience, onChange: ({ isAway }) => onAway(isAway) });
  const place = { ...placeOf(options), patience, watch, note: undefined, client: "terminal" };
  const client = await openClient(place, "server");
  return {
    holdfast: client.holdfast,
    offer: (sessionId) => offerProviders(client, { ...options, sessionId }),
    close: async () => client[Symbol.asyncDispose](),
  };
}
