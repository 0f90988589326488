import { defaultQuotas } from "../server/security/quotas.ts";
import type { QuotaLimits } from "../server/security/quotas.ts";
import type { Configs } from "../workspace/config/configs.ts";

/** The quotas of the user's own config. */
export async function quotaLimits(configs: Configs): Promise<QuotaLimits> {
  const { quotas } = (await configs.read(null)).config;
  return {
    uploadBytes: quotas.uploadBytes ?? defaultQuotas.uploadBytes,
    sessions: quotas.sessions ?? defaultQuotas.sessions,
    logBytes: quotas.logBytes ?? defaultQuotas.logBytes,
  };
}
