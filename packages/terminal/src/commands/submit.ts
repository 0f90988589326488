import type { Delivery } from "@holdfast/sdk";
import type { Client } from "../client.ts";
import { promptCommands } from "../session/hosted-agent.ts";
import { runShell } from "./shell.ts";
import { findCommand } from "./slash-commands.ts";

/** Processes the typed text: an answer to a question, a command, a shell line, or a prompt. */
export function submit(client: Client, text: string, delivery: Delivery): void {
  const typed = text.trim();
  if (typed === "") return;
  client.editor.addToHistory(typed);
  void client.options.history.add(typed);
  if (client.editing !== null) {
    const { save } = client.editing;
    client.endEdit();
    return void save(typed);
  }
  const { dialog } = client.asking;
  const slash = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(typed);
  if (slash !== null) {
    const [, name = "", rest = ""] = slash;
    const own = findCommand(name);
    if (own !== null) return own.run(client, rest.trim());
    const isKnown = promptCommands(client).some((command) => command.name === name);
    if (isKnown) return client.outbox.send(typed, delivery, { name, arguments: rest });
    // A path such as /etc/hosts is a prompt; a single unknown word is probably a mistake.
    if (!name.includes("/") && rest === "" && client.workspace !== null) {
      client.editor.setText(typed);
      return client.say(`There is no command /${name}. /help lists all`);
    }
  }
  if (typed.startsWith("!") && typed.length > 1)
    return void runShell(client, typed.slice(1).trim());
  if (dialog !== null && dialog.isQuestion && delivery === "queue") {
    return void client.answer(dialog, { verdict: "allow", text: typed });
  }
  return client.outbox.send(typed, delivery);
}
