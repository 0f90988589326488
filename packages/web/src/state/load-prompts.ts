import type { Prompt, SessionHandle } from "@holdfast/sdk";

/** Up to this number, each prompt is loaded with its own request. Above it, listing all prompts takes fewer requests. */
const few = 10;

/** Loads prompts of a session. A prompt that cannot be loaded is left out. */
export async function loadPrompts(
  handle: SessionHandle,
  options: {
    readonly promptIds: readonly string[];
    readonly signal: AbortSignal;
    readonly onPrompt: (prompt: Prompt) => void;
  },
): Promise<void> {
  const { promptIds, signal, onPrompt } = options;
  if (promptIds.length <= few) {
    await Promise.all(
      promptIds.map(async (promptId) => {
        const prompt = await handle
          .promptById(promptId)
          .get({ signal })
          .catch(() => null);
        if (prompt !== null) onPrompt(prompt);
      }),
    );
    return;
  }
  const wanted = new Set(promptIds);
  for await (const prompt of handle.eachPrompt({ limit: 500, signal })) {
    if (!wanted.delete(prompt.promptId)) continue;
    onPrompt(prompt);
    if (wanted.size === 0) return;
  }
}
