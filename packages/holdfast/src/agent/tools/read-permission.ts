import { follow, shown } from "./paths.ts";
import type { PermissionRequest, ToolContext } from "./tool.ts";

/** Builds the permission request for reading. An invalid path needs no permission, because the call fails anyway. */
export async function readPermission(
  path: string,
  context: ToolContext,
): Promise<PermissionRequest | null> {
  const place = await follow(path, context);
  if (place.status === "refused") return null;
  return { action: "read", subject: place.subject, preview: `Read ${shown(place.subject)}` };
}
