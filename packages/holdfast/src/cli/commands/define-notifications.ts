import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { addClientOptions } from "../client-options.ts";
import { addHelp } from "../help-text.ts";
import type { Hours, NotificationsOptions } from "./notifications-command.ts";

/** Defines `holdfast notifications`. */
export function defineNotifications(program: Command, onDone: (exitCode: number) => void): void {
  const command = addHelp(program.command("notifications"), {
    summary: "Show and change quiet hours, muted sessions and devices",
    description:
      "Print your notification settings: the quiet hours, the muted sessions and the devices that receive push messages. " +
      "With options, change them first. They apply on all your devices and in the terminal.",
    examples: [
      "holdfast notifications",
      "holdfast notifications --quiet 22:00-07:00",
      "holdfast notifications --mute 4f2a91c0",
    ],
  })
    .addOption(
      new Option(
        "--quiet <hours>",
        "Set the quiet hours, such as 22:00-07:00 in the time zone of this machine; off: remove them",
      ).argParser(readHours),
    )
    .option("--mute <session...>", "Send no notifications about these sessions")
    .option("--unmute <session...>", "Send notifications about these sessions again")
    .option("--json", "Print the settings as a line of JSON");
  addClientOptions(command).action(async (options: NotificationsOptions) => {
    onDone(await (await import("./notifications-command.ts")).showNotifications(options));
  });
}

function readHours(text: string): Hours {
  if (text === "off") return text;
  const [, from, to] = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d)$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined && from !== to) return { from, to };
  throw new InvalidArgumentError("Write two times such as 22:00-07:00, or off.");
}
