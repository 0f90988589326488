import { join } from "node:path";
import { packageFolder } from "../base/package.ts";

/** What a config may hold, for editors. */
export function configSchemaFile(): string {
  return join(packageFolder(), "config.schema.json");
}
