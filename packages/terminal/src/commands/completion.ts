import type {
  AutocompleteItem,
  AutocompleteProvider,
} from "@earendil-works/pi-tui/dist/autocomplete.js";
import { matchScore } from "@holdfast/model/match.ts";
import type { Client } from "../client.ts";
import { hostedAgent, promptCommands, refreshWorkspace } from "../session/hosted-agent.ts";
import { oneLine } from "../screen/text.ts";
import { slashCommands } from "./slash-commands.ts";

const shownItems = 30;

/** Completes `/command` at the start of the text and `@file` anywhere. */
export function createCompletion(client: Client): AutocompleteProvider {
  return {
    triggerCharacters: ["@"],
    getSuggestions: async (lines, line, column, { signal }) => {
      const before = (lines[line] ?? "").slice(0, column);
      const command = line === 0 ? /^\/([\w:.-]*)$/.exec(before) : null;
      if (command !== null) {
        refreshOffers(client);
        return suggested(commandItems(client, command[1] ?? ""), before);
      }
      const file = /(?:^|\s)(@(\S*))$/.exec(before);
      if (file === null) return null;
      const [, prefix = "", search = ""] = file;
      return suggested(await fileItems(client, search, signal), prefix);
    },
    applyCompletion: (lines, cursorLine, column, item, prefix) => {
      const text = lines[cursorLine] ?? "";
      const begin = text.slice(0, column - prefix.length) + item.value;
      const end = text.slice(column);
      const space = end.startsWith(" ") ? "" : " ";
      const next = [...lines];
      next[cursorLine] = begin + space + end;
      return { lines: next, cursorLine, cursorCol: begin.length + 1 };
    },
  };
}

/**
 * Loads the commands of the external (hosted) agent if none are known yet. The completion list contains these commands
 * after the next key press.
 */
function refreshOffers(client: Client): void {
  if (hostedAgent(client)?.commands.length !== 0) return;
  // If the request fails, only the known commands are shown.
  void refreshWorkspace(client).catch(() => {});
}

function suggested(
  items: readonly AutocompleteItem[],
  prefix: string,
): { items: AutocompleteItem[]; prefix: string } | null {
  return items.length === 0 ? null : { items: [...items], prefix };
}

function commandItems(client: Client, typed: string): AutocompleteItem[] {
  const all = [...slashCommands, ...promptCommands(client)];
  return all
    .filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()))
    .toSorted((one, other) => rank(one.name, typed) - rank(other.name, typed))
    .slice(0, shownItems)
    .map(({ name, description }) => ({
      value: `/${name}`,
      label: oneLine(name),
      description: oneLine(description),
    }));
}

function rank(name: string, typed: string): number {
  return name.startsWith(typed) ? 0 : 1;
}

/** Asks the server for files, because the directory may be on another machine. */
async function fileItems(
  client: Client,
  search: string,
  signal: AbortSignal,
): Promise<AutocompleteItem[]> {
  const { holdfast, directory } = client;
  if (holdfast === null) return [];
  // If the search for files fails, suggest no files.
  const found = await holdfast.workspaces
    .files(directory, { search, limit: 200, signal, patience: 0 })
    .catch(() => null);
  return (found?.items ?? [])
    .map((path) => ({ path, score: matchScore(path, search) }))
    .toSorted((one, other) => other.score - one.score)
    .slice(0, shownItems)
    .map(({ path }) => ({ value: `@${path}`, label: oneLine(path) }));
}
