import { follow, shown } from "./paths.ts";
import type { PermissionRequest, ToolContext } from "./tool.ts";

/** Asks to look at a place. A path that cannot exist needs no permission: the call fails anyway. */
export async function readPermission(
  path: string,
  context: ToolContext,
): Promise<PermissionRequest | null> {
  const place = await follow(path, context);
  if (place.status === "refused") return null;
  return { action: "read", subject: place.subject, preview: `Read ${shown(place.subject)}` };
}
