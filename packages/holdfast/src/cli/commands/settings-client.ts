import { openSettings } from "../../main.ts";
import type { Client } from "../../main.ts";
import { closing, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";

/** For commands about what runs work with: a server does it, or this process where there is none. */
export function withSettings<Result>(
  options: ClientOptions,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  return closing(openSettings(placeOf(options)), work);
}
