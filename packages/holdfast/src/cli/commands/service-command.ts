import { homedir } from "node:os";
import { installService, uninstallService } from "../../compose/service/service.ts";
import type { ServiceChange } from "../../compose/service/service.ts";
import { stopIdleServer } from "../../compose/stop-idle.ts";
import { defaultStore } from "../../compose/stores.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { printable } from "../terminal/printable.ts";

/**
 * `holdfast service install`: makes the system start the server at login. Also starts it now, unless another server is
 * running.
 */
export async function install(): Promise<ExitCode> {
  const place = { environment: process.env, home: homedir() };
  const store = defaultStore(place.environment, place.home);
  const url = await stopIdleServer({ ...place, store }, { onlyBackground: false });
  const change = await installService(place, { isStarted: url === null });
  console.log(`installed ${printable(change.file)}`);
  report(change);
  if (url !== null) {
    console.log(
      `The server at ${url} is still working. The service starts at your next login. To start it now, run`,
    );
    console.log("`holdfast server stop`, then `holdfast service install` again.");
  }
  console.log(
    "The service has your PATH, but not the API keys in your environment. Store them with: holdfast connect PROVIDER",
  );
  return change.left.length === 0 ? exitCodes.ok : exitCodes.failure;
}

/** `holdfast service uninstall`: stops the service and removes its file. */
export async function uninstall(): Promise<ExitCode> {
  const change = await uninstallService({ environment: process.env, home: homedir() });
  if (change === null) {
    console.log("the service is not installed");
    return exitCodes.ok;
  }
  console.log(`removed ${printable(change.file)}`);
  report(change);
  return exitCodes.ok;
}

function report({ left }: ServiceChange): void {
  for (const { command, problem } of left) {
    console.error(`holdfast: \`${command}\` failed: ${printable(problem)}; run it yourself`);
  }
}
