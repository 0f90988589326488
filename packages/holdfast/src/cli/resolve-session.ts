import { openClient } from "../compose/client.ts";
import { StoreError } from "../store/store-error.ts";
import { placeOf } from "./client-options.ts";
import type { ClientOptions } from "./client-options.ts";
import { findSession, isWholeId } from "./ids.ts";

/** Same as `findSession`, for commands that need the id before they open their client. */
export async function resolveSession(options: ClientOptions, text: string): Promise<string> {
  if (isWholeId(text)) return text;
  try {
    await using client = await openClient(placeOf(options), "look");
    return await findSession(client.holdfast, text);
  } catch (error) {
    // No store yet: the command itself reports the unknown session.
    if (error instanceof StoreError && error.code === "storeInvalid") return text;
    throw error;
  }
}
