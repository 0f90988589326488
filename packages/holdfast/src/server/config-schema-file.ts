import { join } from "node:path";

/** What a config may hold, for editors; in a clone and in the package alike. */
export const configSchemaFile = join(import.meta.dirname, "../../config.schema.json");
