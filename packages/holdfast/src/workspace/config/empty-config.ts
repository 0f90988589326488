import { digestOf } from "./canonical.ts";
import type { Config } from "./config.ts";
import type { LayerPlaces } from "./places.ts";
import type { ReadConfig } from "./read-config.ts";

/** What there is to read where no file is: everything as usual. */
export function unconfigured(places: readonly LayerPlaces[]): ReadConfig {
  return {
    config: emptyConfig,
    digest: digestOf([emptyConfig, []]),
    notices: [],
    secrets: [],
    powers: { digest: null, trusted: true, list: [] },
    files: places.flatMap(({ file, agents, commands }) => [file, agents, commands]),
  };
}

const emptyConfig: Config = {
  model: null,
  smallModel: null,
  agent: null,
  agents: new Map(),
  commands: new Map(),
  permissions: [],
  mcp: new Map(),
  providers: new Map(),
  limits: {
    maxSteps: null,
    stopGrace: null,
    budget: null,
    onBudget: null,
    budgetAskTime: null,
    daily: null,
    monthly: null,
    token: null,
    shellTimeout: null,
    fetchTimeout: null,
  },
  recovery: null,
  retention: { archiveAfter: null, deleteArchivedAfter: null, deleteUploadsAfter: null },
  quotas: { uploadBytes: null, sessions: null, logBytes: null },
  sandbox: { shell: null, network: null, allowedPaths: [], privateAddresses: null, variables: [] },
  hooks: { promptAccepted: [], beforeTool: [], afterTool: [], settled: [] },
  instructions: [],
};
