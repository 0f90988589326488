import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../../base/package.ts";
import { createCatalogue } from "./catalogue.ts";
import type { Catalogue, CatalogueFile } from "./catalogue.ts";

/** Returns the catalogue that is part of Holdfast. The file is read at the first call. */
export function builtInCatalogue(): Catalogue {
  builtIn ??= createCatalogue(
    JSON.parse(readFileSync(join(packageFolder(), "models.json"), "utf8")),
  );
  return builtIn;
}

let builtIn: Catalogue | null = null;

/** Parses the user's own catalogue. Returns the problem as a string if the catalogue cannot be used. */
export async function readCatalogue(text: string): Promise<CatalogueFile | string> {
  const { parseCatalogue } = await import("./catalogue-schema.ts");
  const { generated } = builtInCatalogue();
  const instead = `The built-in catalogue of ${generated} is used instead`;
  const content = parseJson(text);
  const file = content === undefined ? "the file is not valid JSON" : parseCatalogue(content);
  if (typeof file === "string") {
    return `cannot be used: ${file}. ${instead}. Copy models.json from a newer release of Holdfast, or remove this setting`;
  }
  if (file.generated < generated) {
    return `is from ${file.generated} and outdated. ${instead}. Remove this setting`;
  }
  return file;
}

/** Returns undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
