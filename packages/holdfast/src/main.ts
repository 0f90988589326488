import type { Client, ClientPlace } from "./compose/client.ts";
import type { Embedded, EmbeddedOptions } from "./compose/embedded.ts";
import type { RunningSettings } from "./compose/run-server.ts";
import type { Tidied, TidyOptions } from "./compose/tidy.ts";
import type { SandboxStatus } from "./server/ports.ts";
import type { Examination, Tally } from "./store/doctor.ts";
import type { StoreReader } from "./store/store.ts";

// The composition root: it alone knows all the parts, and what is built out of them is offered here.
// Whatever is more than a few words is loaded when it is asked for: a command needs little of it.

export { AgentFailure } from "./agent/agent.ts";
export { folderProblem, makeFolder } from "./base/folders.ts";
export { modelVariables } from "./agent/model/known-providers.ts";
export type { ProviderName } from "./agent/model/known-providers.ts";
export type { PermissionRule } from "./agent/permissions/rule.ts";
export { describeBinary } from "./agent/tools/binary.ts";
export type { PermissionRequest } from "./agent/tools/tool.ts";
export { addUsage, noUsage } from "./kernel/state.ts";
export { checkId } from "./kernel/validate.ts";
export { programVersion as version } from "./base/package.ts";
export type { RevertReport } from "./runtime/revert/revert-work.ts";
export { configSchemaFile } from "./server/config-schema-file.ts";
export { SetupError } from "./server/setup-error.ts";
export type { Tally } from "./store/doctor.ts";
export { StoreError } from "./store/store-error.ts";
export { WorkspaceError } from "./workspace/loader.ts";
export { hideEnvironment, restoreEnvironment } from "./compose/hidden-environment.ts";
export { connectAdvice } from "./compose/connect-advice.ts";
export type { Client } from "./compose/client.ts";
export type { Embedded } from "./compose/embedded.ts";
export type { Tidied } from "./compose/tidy.ts";
export type { RunningSettings } from "./compose/run-server.ts";
export { backUpStore, dataFolder, defaultStore, openReader, storeName } from "./compose/stores.ts";

export async function findClient(place: ClientPlace): Promise<Client | null> {
  return (await import("./compose/client.ts")).findClient(place);
}

export async function openClient(place: ClientPlace): Promise<Client> {
  return (await import("./compose/client.ts")).openClient(place);
}

export async function expectServer(place: ClientPlace): Promise<Client & { readonly url: string }> {
  return (await import("./compose/client.ts")).expectServer(place);
}

export async function openLooking(place: ClientPlace): Promise<Client> {
  return (await import("./compose/looking.ts")).openLooking(place);
}

export async function openSettings(place: ClientPlace): Promise<Client> {
  return (await import("./compose/settings-client.ts")).openSettings(place);
}

export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  return (await import("./compose/embedded.ts")).openEmbedded(options);
}

/** Whether commands run in a sandbox on this machine, for programs and for people. */
export async function describeSandbox(): Promise<{ status: SandboxStatus; text: string }> {
  const { sandboxStatus, sandboxText } = await import("./compose/sandbox-status.ts");
  const status = await sandboxStatus();
  return { status, text: sandboxText(status) };
}

/** Runs a server until it is told to stop. */
export async function runServer(settings: RunningSettings): Promise<void> {
  return (await import("./compose/run-server.ts")).runServer(settings);
}

export async function examine(
  reader: StoreReader,
  options: { onProgress?: (tally: Tally) => void },
): Promise<Examination> {
  return (await import("./store/doctor.ts")).examine(reader, options);
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
