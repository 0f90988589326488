import type { PromptView } from "@holdfast/model/conversation.ts";
import type { Client } from "../client.ts";
import { promptText } from "../transcript/prompt-rows.ts";
import { ago } from "../transcript/time-text.ts";

/**
 * Esc Esc: lets the user choose an earlier prompt. Opens a copy of the session that ends before this prompt, with the
 * text of the prompt in the editor.
 */
export function openRewind(client: Client): void {
  const prompts = enteredPrompts(client);
  if (prompts.length === 0) return client.say("There is no earlier prompt");
  client.pick<PromptView>({
    title: "Rewind to before:",
    empty: "There is no earlier prompt",
    hint: "Enter continues in a copy of the session without it and what followed · Esc closes",
    items: prompts.map((prompt) => ({
      value: prompt,
      label: promptText(prompt),
      detail: ago(client.clock.now() - prompt.acceptedAt),
    })),
    onChoose: (prompt) => void rewind(client, prompt),
  });
}

/** Returns the prompts that the model has seen, newest first. Includes prompts that a forked session started with. */
function enteredPrompts({ view }: Client): readonly PromptView[] {
  return (view?.conversation.entries ?? [])
    .flatMap((entry) => (entry.kind === "prompt" ? [entry.prompt] : []))
    .filter(({ enteredAt }) => enteredAt !== null)
    .toReversed();
}

async function rewind(client: Client, prompt: PromptView): Promise<void> {
  await client.act(async ({ handle }) => {
    const original = handle.promptById(prompt.promptId);
    const copy = await handle.fork({ before: prompt.promptId });
    // The event stream may have cut the text.
    const text = prompt.cutAt === null ? prompt.text : (await original.get()).text;
    client.open(copy.sessionId);
    client.editor.setText(text ?? "");
    client.remark("Files are as they are now. /undo takes back the changes of a prompt");
  });
}

/** /fork: continues in a copy of the session. */
export async function forkHere(client: Client): Promise<void> {
  await client.act(async ({ handle }) => {
    const copy = await handle.fork();
    client.open(copy.sessionId);
  });
}
