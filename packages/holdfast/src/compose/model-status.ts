import { endOfModel } from "../workspace/load/model-notices.ts";
import { openSetup } from "./setup.ts";

export interface ModelStatus {
  /** The default model. Null: no model is connected. */
  readonly model: string | null;
  /** Warning if the provider shuts the model down soon or has already done so, or if the config is broken. */
  readonly problem: string | null;
}

interface Place {
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
}

/** Same as `readModelStatus`. If the config or the stored keys cannot be read, the problem is the error message. */
export async function modelStatus(place: Place): Promise<ModelStatus> {
  return readModelStatus(place).catch((error: unknown) => ({
    model: null,
    problem: error instanceof Error ? error.message : String(error),
  }));
}

/** Reports the default model of the user's config, and whether its provider shuts it down soon. */
export async function readModelStatus(place: Place): Promise<ModelStatus> {
  const setup = await openSetup({ ...place, model: null, watch: false, onError: () => {} });
  try {
    const { chosen: model, catalogue } = await setup.choice(null);
    if (model === null) return { model, problem: null };
    const end = endOfModel(model, { catalogue, now: Date.now() });
    return { model, problem: end?.message ?? null };
  } finally {
    await setup.close();
  }
}
