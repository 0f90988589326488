import { openSettings } from "../main.ts";
import type { Client } from "../main.ts";
import { placeOf } from "./client-options.ts";
import type { ClientOptions } from "./client-options.ts";

/** For commands about what runs work with: a server does it, or this process where there is none. */
export async function withSettings<Result>(
  options: ClientOptions,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await openSettings(placeOf(options));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
