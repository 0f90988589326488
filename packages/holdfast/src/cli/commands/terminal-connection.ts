import { openClient } from "../../compose/client.ts";
import type { Send } from "../../compose/found-server.ts";
import { placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { watchConnection } from "../connection.ts";
import { offerProviders } from "./run-client.ts";
import type { ConnectionEvents, Opened } from "@holdfast/terminal";

/** Milliseconds for which a request is retried while the server does not answer. */
const patience = 600_000;

/** Joins the server of the store, or starts one. */
export async function openConnection(
  options: ClientOptions,
  { onConnection, onDate, onNote: note }: ConnectionEvents,
): Promise<Opened> {
  const watchServer = watchConnection({
    patience,
    onChange: ({ isAway }) => onConnection(isAway ? "away" : "connected"),
    onEnded: () => onConnection("stopped"),
  });
  const watch = (send: Send): Send =>
    watchServer(async (request) => {
      const response = await send(request);
      onDate(response.headers.get("date"));
      return response;
    });
  const place = { ...placeOf(options), patience, watch, note, client: "terminal" };
  const client = await openClient(place, "server");
  return {
    holdfast: client.holdfast,
    offer: (sessionId) => offerProviders(client, { ...options, sessionId }),
    close: async () => client[Symbol.asyncDispose](),
  };
}
