import type { Caps } from "../kernel/cap.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { LimitsConfig } from "../workspace/config/config.ts";
import type { Configs } from "../workspace/config/configs.ts";
import { defaultQuotas } from "../server/security/quotas.ts";
import type { QuotaLimits } from "../server/security/quotas.ts";

/** The spending caps in the user's config. They are read again after each reload of the config. */
export interface CurrentCaps {
  readonly now: () => Caps | null;
  /** Reads the spending caps again after each change of the config. Returns a function that ends these reads. */
  follow(runtime: Runtime, onError: (error: unknown) => void): () => void;
}

export async function readCaps(configs: Configs): Promise<CurrentCaps> {
  const read = async (): Promise<Caps | null> => capsOf((await configs.read(null)).config.limits);
  let current = await read();
  const refresh = async (): Promise<void> => {
    current = await read();
  };
  return {
    now: () => current,
    follow: (runtime, onError) => runtime.maintenance.onChange(() => void refresh().catch(onError)),
  };
}

/** Returns the spending caps of a config. Null: no caps. */
function capsOf({ daily, monthly, token }: LimitsConfig): Caps | null {
  if (daily === null && monthly === null && token === null) return null;
  return {
    ...(daily === null ? {} : { day: daily }),
    ...(monthly === null ? {} : { month: monthly }),
    ...(token === null ? {} : { token }),
  };
}

/** Returns the quotas in the user's config. */
export async function quotaLimits(configs: Configs): Promise<QuotaLimits> {
  const { quotas } = (await configs.read(null)).config;
  return {
    uploadBytes: quotas.uploadBytes ?? defaultQuotas.uploadBytes,
    sessions: quotas.sessions ?? defaultQuotas.sessions,
    logBytes: quotas.logBytes ?? defaultQuotas.logBytes,
  };
}
