import type { Client } from "../client.ts";

/** Ctrl-R: searches the prompts of all sessions and puts one into the editor. */
export async function pickFromHistory(client: Client): Promise<void> {
  const entries = await client.options.history.load();
  client.pick<string>({
    title: "History:",
    empty: "No prompts yet",
    items: [...new Set(entries)].map((text) => ({
      value: text,
      label: text.slice(0, 500),
      detail: text.includes("\n") ? `${text.split("\n").length} lines` : "",
    })),
    onChoose: (text) => client.editor.setText(text),
  });
}
