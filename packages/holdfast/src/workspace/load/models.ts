import { findModel } from "../../agent/model/find-model.ts";
import type { Models } from "../../agent/setup.ts";
import type { ProviderResource } from "./provider-resource.ts";

/** The models of the providers that are open. */
export function modelsOf(
  opened: readonly ProviderResource[],
  choice: Pick<Models, "chosen" | "small">,
): Models {
  const { chosen, small } = choice;
  const providers = opened.map(({ provider }) => provider);
  return {
    chosen,
    small,
    providers: providers.map(({ name }) => name),
    open: (id, run) => {
      const { provider, name } = findModel(providers, id ?? chosen);
      const resource = opened.find((candidate) => candidate.provider === provider);
      if (resource === undefined) throw new Error(`the provider ${provider.name} is not open`);
      const model = resource.model(name);
      if (run !== undefined) resource.use(run.runId);
      return model;
    },
    release: (runId) => {
      for (const resource of opened) resource.release(runId);
    },
  };
}
