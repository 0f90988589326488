import type { Command } from "commander";
import { addHelp } from "../help-text.ts";

/** Defines the commands that let the system start the server. */
export function defineService(program: Command, onDone: (exitCode: number) => void): void {
  const service = addHelp(program.command("service"), {
    summary: "Start the server at login, as a service of your system",
    description:
      "Start the server at login, as a systemd user unit on Linux or a launchd agent on macOS. Without a service, the first " +
      "command that needs a server starts one.",
    examples: ["holdfast service install", "holdfast service uninstall"],
  });
  addHelp(service.command("install"), {
    summary: "Install the service and start it",
    description:
      "Install the service and start it. Run this again after an update of Node. API keys in your environment variables are " +
      "not stored: connect providers with `holdfast connect`.",
    examples: ["holdfast service install"],
  }).action(async () => {
    onDone(await (await import("./service-command.ts")).install());
  });
  addHelp(service.command("uninstall"), {
    summary: "Stop the service and remove it",
    examples: ["holdfast service uninstall"],
  }).action(async () => {
    onDone(await (await import("./service-command.ts")).uninstall());
  });
}
