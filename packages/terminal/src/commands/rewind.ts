import type { PromptView } from "@holdfast/model/conversation.ts";
import type { Client } from "../client.ts";
import { plural } from "../transcript/call-card.ts";
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
      detail: ago(Date.now() - prompt.acceptedAt),
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
    const copy = await handle.fork({ before: prompt.promptId });
    client.open(copy.sessionId);
    client.editor.setText(prompt.text ?? "");
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

/** /undo: lets the user choose a prompt and undoes the file changes of its run. */
export async function undoRun(client: Client): Promise<void> {
  const { view } = client;
  const runs = [...(view?.conversation.runs.values() ?? [])]
    .filter(({ hasCalls, endedAt }) => hasCalls && endedAt !== null)
    .toReversed();
  if (view === null || runs.length === 0) return client.say("No run has changed files");
  client.pick<string>({
    title: "Undo the file changes of:",
    empty: "No run has changed files",
    items: runs.map(({ runId, promptIds, startedAt }) => {
      const prompt = view.conversation.prompts.get(promptIds[0] ?? "");
      return {
        value: runId,
        label: prompt === undefined ? runId : promptText(prompt),
        detail: ago(Date.now() - startedAt),
      };
    }),
    onChoose: (runId) => void confirmUndo(client, runId),
  });
}

async function confirmUndo(client: Client, runId: string): Promise<void> {
  await client.act(async ({ handle }) => {
    const plan = await handle.planRevert(runId);
    if (plan.files.length === 0) return client.say("This run changed no files");
    const files = plan.files.length;
    const inside = `${client.directory}/`;
    const shown = (path: string): string =>
      path.startsWith(inside) ? path.slice(inside.length) : path;
    const conflicts = plan.files.filter(({ conflict }) => conflict !== null).length;
    client.pick<"undo" | "overwrite">({
      title: `Undo ${files} ${plural(files, "file")}?`,
      empty: "",
      hint: plan.files
        .map(({ path, removes }) => (removes ? `${shown(path)} (deleted)` : shown(path)))
        .join(", "),
      items: [
        {
          value: "undo",
          label: conflicts === 0 ? "Undo" : "Undo the files without conflicts",
          detail: conflicts === 0 ? "" : `${conflicts} changed again since`,
        },
        ...(conflicts === 0
          ? []
          : [
              {
                value: "overwrite" as const,
                label: "Undo all, overwrite later changes",
                detail: "",
              },
            ]),
      ],
      onChoose: (choice) =>
        void client.act(async () => {
          await handle.revert(runId, choice === "overwrite" ? { overwrite: true } : {});
          client.remark(`Undone: ${plan.files.map(({ path }) => shown(path)).join(", ")}`);
        }),
    });
  });
}
