import type { Usage } from "../../kernel/state.ts";
import { addUsage } from "./sampling.ts";

/** Usage of model calls that no committed answer of the run contains yet. The next answer takes it, so it is charged (P6). */
export interface UnpaidUsage {
  add(usage: Usage): void;
  /** Returns the usage since the last call of this function, as a field of an answer; without the field if there was none. */
  take(): { readonly usage?: Usage };
}

export function createUnpaidUsage(): UnpaidUsage {
  let unpaid: Usage | null = null;
  return {
    add: (usage) => {
      unpaid = addUsage(unpaid, usage);
    },
    take: () => {
      const usage = unpaid;
      unpaid = null;
      return usage === null ? {} : { usage };
    },
  };
}
