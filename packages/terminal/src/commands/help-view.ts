import type { Client } from "../client.ts";
import { oneLine, visibleWidth, wrap } from "../screen/text.ts";
import { promptCommands } from "../session/hosted-agent.ts";

export const keys: readonly (readonly [string, string])[] = [
  ["Enter", "send; while a run is active: queue"],
  ["Ctrl-S", "steer: add the text to the active run at its next step"],
  ["Shift-Enter, Alt-Enter, Ctrl-J, \\ Enter", "new line"],
  ["Esc", "close the open list or view; otherwise stop the run and keep the queue"],
  ["Esc Esc", "rewind or fork, if nothing runs and the editor is empty"],
  ["Ctrl-C", "clear the draft; twice on an empty draft: leave"],
  ["↑ ↓", "history"],
  ["Ctrl-R", "search the history"],
  ["Alt-↑", "queue: e edit, Shift-↑↓ move, x withdraw, p run now, s steer"],
  ["Tab", "complete; give an open question the focus"],
  ["Shift-Tab", "next mode: ask, accept edits, plan"],
  ["Ctrl-O", "whole transcript with outputs, diffs and reasoning"],
  ["Ctrl-G", "edit the draft in $EDITOR"],
  ["Ctrl-L", "repaint"],
  ["Ctrl-Z", "suspend; fg in the shell continues"],
  ["y a n", "answer a permission request: yes once, always, no"],
  ["/  @  !", "commands, files, your shell"],
];

/** /help: shows the keys and the commands. */
export function openHelp(
  client: Client,
  own: readonly { readonly name: string; readonly description: string }[],
): void {
  const commands = [
    ...own.map(({ name, description }) => [`/${name}`, description] as const),
    ...promptCommands(client).map(
      ({ name, description }) => [`/${oneLine(name)}`, oneLine(description)] as const,
    ),
  ];
  client.page({
    title: "Help",
    isAtEnd: false,
    lines: (columns) => [
      client.look.bold("Keys"),
      ...table(keys, columns),
      "",
      client.look.bold("Commands"),
      ...table(commands, columns),
    ],
  });
}

/** Formats two columns of text. In a narrow window, the second text is in the row below the first. */
function table(rows: readonly (readonly [string, string])[], columns: number): string[] {
  const width = Math.min(44, Math.max(...rows.map(([name]) => visibleWidth(name))) + 2);
  const isNarrow = columns < width + 32;
  return rows.flatMap(([name, text]) => {
    const margin = isNarrow ? 4 : width + 2;
    const [first = "", ...rest] = wrap(text, Math.max(10, columns - margin));
    const more = (isNarrow ? [first, ...rest] : rest).map((row) => " ".repeat(margin) + row);
    const gap = " ".repeat(Math.max(1, width - visibleWidth(name)));
    return [isNarrow ? `  ${name}` : `  ${name}${gap}${first}`, ...more];
  });
}
