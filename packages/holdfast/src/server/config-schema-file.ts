import { join } from "node:path";
import { packageFolder } from "../base/package.ts";

/** Returns the JSON Schema of config files, for editors. */
export function configSchemaFile(): string {
  return join(packageFolder(), "config.schema.json");
}
