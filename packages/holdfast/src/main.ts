import type { RunningSettings } from "./compose/run-server.ts";

// The composition root: it alone knows all the parts, and what is built out of them is offered here.

export { AgentFailure } from "./agent/agent.ts";
export type { AnswerBody, AskBody, CallRequest, IntentBody, ToolBody } from "./agent/message.ts";
export { modelVariables } from "./agent/model/known-providers.ts";
export type { ProviderName } from "./agent/model/known-providers.ts";
export type { PermissionRule } from "./agent/permissions/rule.ts";
export type { PermissionRequest } from "./agent/tools/tool.ts";
export type { LaneEvent, Receipt, ToolStatus } from "./kernel/event.ts";
export type { LedgerRow } from "./kernel/ledger.ts";
export { addUsage, noUsage } from "./kernel/state.ts";
export type { Hold, LaneState, Usage } from "./kernel/state.ts";
export { CommandRefused } from "./runner/command-refused.ts";
export type { Runtime } from "./runner/runtime.ts";
export type { RevertedFile, RevertPlan } from "./runner/revert.ts";
export { exportPieces, ledgerOf, programVersion as version } from "./runner/export.ts";
export { logOf } from "./runner/log.ts";
export type { RevertReport } from "./runner/revert-work.ts";
export { discoveryFile, findServer } from "./server/discovery.ts";
export type { Discovery } from "./server/discovery.ts";
export { readTokenFile } from "./server/security/token-file.ts";
export { SetupError } from "./server/setup-error.ts";
export { examine } from "./store/doctor.ts";
export type { Examination, Tally } from "./store/doctor.ts";
export { StoreError } from "./store/store-error.ts";
export type { Store, StoreReader } from "./store/store.ts";
export { connectAdvice, connectedModels } from "./compose/agent.ts";
export type { ConnectedModels } from "./compose/agent.ts";
export { openRuntime, openWorkshop } from "./compose/embedded.ts";
export type { OpenedRuntime } from "./compose/embedded.ts";
export type { RunningSettings } from "./compose/run-server.ts";
export {
  dataFolder,
  defaultStore,
  openExistingStore,
  openReader,
  storeName,
} from "./compose/stores.ts";

/** Runs a server until it is told to stop. Loaded only then: most commands have no use for it. */
export async function runServer(settings: RunningSettings): Promise<void> {
  return (await import("./compose/run-server.ts")).runServer(settings);
}

if (import.meta.main) {
  const words = process.argv.slice(2);
  // Not awaited here: the command line is built out of this file, which has to be there first.
  void import("./cli/program.ts").then(
    async ({ runCli }) => (process.exitCode = await runCli(words.length === 0 ? ["serve"] : words)),
  );
}
