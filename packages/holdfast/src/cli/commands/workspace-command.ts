import { openClient } from "../../compose/client.ts";
import type { Workspace } from "@holdfast/sdk";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { folderOf, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { noticeLine } from "../terminal/notice.ts";
import { oneLine, printable } from "../terminal/printable.ts";
import { onStdout } from "../terminal/style.ts";
import { patiently } from "../terminal/lines.ts";

export type WorkspaceOptions = ClientOptions & {
  readonly directory: string;
  readonly json?: true;
};

/** `holdfast agents`: lists the values of --agent. */
export function listAgents(options: WorkspaceOptions): Promise<ExitCode> {
  return show(options, "agents", ({ agents, agent: usual }) =>
    agents.map(({ name, description, model }) => {
      const marks = [name === usual ? "(default)" : "", model ?? ""];
      return [name, description, ...marks];
    }),
  );
}

/** `holdfast commands`: lists the slash commands. */
export function listCommands(options: WorkspaceOptions): Promise<ExitCode> {
  return show(options, "commands", ({ commands }) =>
    commands.map(({ name, description, source }) => [`/${name}`, description, `from ${source}`]),
  );
}

async function show(
  options: WorkspaceOptions,
  part: "agents" | "commands",
  rows: (workspace: Workspace) => readonly (readonly string[])[],
): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "settings");
  const { holdfast } = client;
  const workspace = await patiently(
    "loading",
    holdfast.workspaces.get(folderOf(options, options.directory)),
  );
  if (workspace.generation === null) {
    for (const notice of workspace.notices) console.error(noticeLine(notice));
    return exitCodes.failure;
  }
  if (options.json === true) {
    for (const item of workspace[part]) console.log(JSON.stringify(item));
  } else {
    for (const [name = "", description = "", ...rest] of rows(workspace)) {
      const words = [oneLine(description, 80), ...rest.map(printable)];
      const text = words.filter((word) => word !== "").join("  ");
      console.log(`${onStdout("bold", printable(name))}  ${text}`.trimEnd());
    }
    // The only entry is the built-in one, so explain how to add more.
    if (workspace[part].length === 1) console.error(`add more as .holdfast/${part}/*.md`);
  }
  return exitCodes.ok;
}
