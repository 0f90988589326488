import { factsOf } from "../../packages/holdfast/src/agent/model/model-facts.ts";
import type { Catalogue } from "../../packages/holdfast/src/agent/model/catalogue/catalogue.ts";
import { builtInCatalogue } from "../../packages/holdfast/src/agent/model/catalogue/read-catalogue.ts";
import { usualModels } from "../../packages/holdfast/src/agent/model/known-providers.ts";
import { ReleaseError } from "./release-error.ts";

/** Checks that no default model has been shut down, and returns a line that describes the defaults. */
export function checkModels(options: { today: string; catalogue?: Catalogue }): string {
  const { today, catalogue = builtInCatalogue() } = options;
  const defaults = usualModels(catalogue).map(({ provider, model }) => {
    const { endOfLife } = factsOf(`${provider}/${model}`, catalogue);
    return { id: `${provider}/${model}`, endOfLife };
  });
  const ended = defaults.filter(({ endOfLife }) => endOfLife !== null && endOfLife <= today);
  if (ended.length > 0) {
    const list = ended.map(({ id, endOfLife }) => `${id} (${endOfLife})`).join(", ");
    throw new ReleaseError(
      `these default models have ended: ${list}. Raise the versions in scripts/models/sources.ts and run: npm run generate:models`,
    );
  }
  return `${defaults.map(({ id }) => id).join(", ")} by the catalogue of ${catalogue.generated}`;
}
