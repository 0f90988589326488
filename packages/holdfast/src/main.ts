import type { Embedded, EmbeddedOptions } from "./compose/embedded.ts";
import type { RunningSettings } from "./compose/run-server.ts";
import type { Tidied, TidyOptions } from "./compose/tidy.ts";

// The composition root: it alone knows all the parts, and what is built out of them is offered here.

export { AgentFailure } from "./agent/agent.ts";
export { modelVariables } from "./agent/model/known-providers.ts";
export type { ProviderName } from "./agent/model/known-providers.ts";
export type { PermissionRule } from "./agent/permissions/rule.ts";
export { describeBinary } from "./agent/tools/binary.ts";
export type { PermissionRequest } from "./agent/tools/tool.ts";
export { addUsage, noUsage } from "./kernel/state.ts";
export { programVersion as version } from "./runner/package-folder.ts";
export type { RevertReport } from "./runner/revert-work.ts";
export { configSchemaFile } from "./server/config-schema-file.ts";
export { SetupError } from "./server/setup-error.ts";
export { examine } from "./store/doctor.ts";
export type { Tally } from "./store/doctor.ts";
export { StoreError } from "./store/store-error.ts";
export { WorkspaceError } from "./workspace/loader.ts";
export { connectAdvice } from "./compose/connect-advice.ts";
export { expectServer, findClient, openClient } from "./compose/client.ts";
export type { Client } from "./compose/client.ts";
export type { Embedded } from "./compose/embedded.ts";
export { openLooking } from "./compose/looking.ts";
export type { Tidied } from "./compose/tidy.ts";
export type { RunningSettings } from "./compose/run-server.ts";
export { openSettings } from "./compose/settings-client.ts";
export { backUpStore, dataFolder, defaultStore, openReader, storeName } from "./compose/stores.ts";

/** Loaded only where there is no server: most of a start would be spent on it. */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  return (await import("./compose/embedded.ts")).openEmbedded(options);
}

/** Runs a server until it is told to stop. Loaded only then: most commands have no use for it. */
export async function runServer(settings: RunningSettings): Promise<void> {
  return (await import("./compose/run-server.ts")).runServer(settings);
}

export async function planTidying(options: TidyOptions): Promise<Tidied> {
  return (await import("./compose/tidy.ts")).planTidying(options);
}

export async function tidy(options: TidyOptions): Promise<Tidied> {
  return (await import("./compose/tidy.ts")).tidy(options);
}

if (import.meta.main) {
  const words = process.argv.slice(2);
  // Not awaited here: the command line is built out of this file, which has to be there first.
  void import("./cli/program.ts").then(
    async ({ runCli }) => (process.exitCode = await runCli(words.length === 0 ? ["serve"] : words)),
  );
}
