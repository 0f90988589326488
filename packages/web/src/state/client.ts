import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";

/** The server that this page came from; the browser shows the cookie that a link has set. */
export const holdfast: Holdfast = connect({ url: location.origin });
