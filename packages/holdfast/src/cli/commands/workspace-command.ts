import { openClient } from "../../compose/client.ts";
import type { Workspace } from "@holdfast/sdk";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { folderOf, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { noticeLine } from "../terminal/notice.ts";
import { oneLine } from "../terminal/printable.ts";
import { onStdout } from "../terminal/style.ts";
import { printTable } from "../terminal/table.ts";
import type { Column } from "../terminal/table.ts";
import { patiently } from "../terminal/lines.ts";
import { withDemo } from "./demo-agent.ts";

export type WorkspaceOptions = ClientOptions & {
  readonly directory: string;
  readonly json?: true;
};

const nameColumn = { paint: (text: string) => onStdout("bold", text) };
const textColumn: Column = { title: "DESCRIPTION", cut: "end", least: 30 };

/** `holdfast agents`: lists the agents that --agent accepts. */
export function listAgents(options: WorkspaceOptions): Promise<ExitCode> {
  return show(options, "agents", {
    columns: [{ ...nameColumn, title: "AGENT" }, textColumn, { title: "MODEL", optional: 1 }],
    items: withDemo,
    row: ({ name, description, model }, { agent: usual }) => [
      name === usual ? `${name} (default)` : name,
      description,
      model ?? "",
    ],
  });
}

/** `holdfast commands`: lists the slash commands. */
export function listCommands(options: WorkspaceOptions): Promise<ExitCode> {
  return show(options, "commands", {
    columns: [
      { ...nameColumn, title: "COMMAND" },
      textColumn,
      { title: "FROM", optional: 1, cut: "middle", least: 20 },
    ],
    items: ({ commands }) => commands,
    row: ({ name, description, source }) => [`/${name}`, description, source],
  });
}

async function show<Item>(
  options: WorkspaceOptions,
  part: "agents" | "commands",
  table: {
    readonly columns: readonly Column[];
    readonly items: (workspace: Workspace) => readonly Item[];
    readonly row: (item: Item, workspace: Workspace) => readonly string[];
  },
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
    for (const item of table.items(workspace)) console.log(JSON.stringify(item));
  } else {
    const rows = table.items(workspace).map((item) => table.row(item, workspace));
    printTable(
      table.columns,
      rows.map((row) => row.map((cell) => oneLine(cell, 200))),
    );
    // If the only entry is the built-in one, explain how to add more.
    if (workspace[part].length === 1) console.error(`add more as .holdfast/${part}/*.md`);
  }
  return exitCodes.ok;
}
