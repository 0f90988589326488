import type { SlashCommand } from "../../agent/setup.ts";
import type { WorkspaceHost } from "../../workspace/host.ts";
import { WorkspaceError } from "../../workspace/loader.ts";
import type { ExpandCommand } from "./command-parts.ts";

/** Milliseconds that the text of a command may take: a server may have to be asked for it. */
const patience = 20_000;

/** Commands as the directory's present generation has them. */
export function commandsOf(host: WorkspaceHost): ExpandCommand {
  return async ({ directory, name, arguments: given }) => {
    try {
      const { current } = await host.load(directory);
      const commands = current?.workspace.setup?.commands ?? new Map<string, SlashCommand>();
      const command = commands.get(name);
      if (command === undefined) {
        const known = [...commands.keys()].map((each) => `/${each}`).join(", ") || "none";
        return { status: "failed", message: `there is no command /${name} (there are: ${known})` };
      }
      const text = await command.expand(given, AbortSignal.timeout(patience));
      if (text.trim() === "") return { status: "failed", message: `/${name} stands for no text` };
      const { agent, model, builtIn = false } = command;
      return { status: "expanded", text, agent, model, builtIn };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const where = error instanceof WorkspaceError ? "" : `/${name}: `;
      return { status: "failed", message: `${where}${message}` };
    }
  };
}
