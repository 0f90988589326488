import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { ownFetch } from "./own-fetch.ts";

/** Client for the server that served this page. */
export const holdfast: Holdfast = connect({ url: location.origin, fetch: ownFetch });
