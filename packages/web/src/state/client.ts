import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { ownFetch } from "./own-fetch.ts";

/** The server that this page came from. */
export const holdfast: Holdfast = connect({ url: location.origin, fetch: ownFetch });
