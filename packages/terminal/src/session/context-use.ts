import type { Holdfast, Usage } from "@holdfast/sdk";
import type { Conversation } from "@holdfast/model/conversation.ts";

/** Tokens in the model's context after its latest answer. */
export interface ContextUse {
  readonly used: number;
  /** Context window of the model in tokens; null: unknown. */
  readonly size: number | null;
}

/** The sizes of context windows, by model. Each size is requested from the server once. */
export class ContextWindows {
  readonly #directory: string;
  readonly #onChange: () => void;
  readonly #sizes = new Map<string, number | null>();
  #loading: Promise<unknown> = Promise.resolve();

  constructor(directory: string, onChange: () => void) {
    this.#directory = directory;
    this.#onChange = onChange;
  }

  /** Returns the context use of the latest answer. Null: there is no answer, or its provider counts no tokens. */
  useOf(conversation: Conversation | null, holdfast: Holdfast | null): ContextUse | null {
    // The provider sends no count for an answer that was stopped, so an earlier answer counts.
    const step = conversation?.entries.findLast(
      (entry) =>
        entry.kind === "step" &&
        (entry.isSummary || entry.context !== undefined || usedTokens(entry.usage) > 0),
    );
    // A summary replaces the conversation, so the context is unknown until the next answer.
    if (step?.kind !== "step" || step.isSummary) return null;
    const { context, model, usage } = step;
    if (context !== undefined) return context;
    const size = model === null ? null : this.#sizeOf(model, holdfast);
    return { used: usedTokens(usage), size };
  }

  #sizeOf(model: string, holdfast: Holdfast | null): number | null {
    const known = this.#sizes.get(model);
    if (known !== undefined || holdfast === null) return known ?? null;
    this.#sizes.set(model, null);
    // If this fails, the status line shows the number of tokens without the size of the window.
    const read = this.#read(model, holdfast).catch(() => {});
    this.#loading = Promise.all([this.#loading, read]);
    return null;
  }

  /** Resolves when the requested sizes have arrived. */
  async loaded(): Promise<void> {
    await this.#loading;
  }

  async #read(model: string, holdfast: Holdfast): Promise<void> {
    const directory = this.#directory;
    const [provider = "", ...rest] = model.split("/");
    const search = rest.join("/");
    const { items } = await holdfast.providers.models({ directory, provider, search, all: true });
    const found = items.find(({ id }) => id === model);
    if (found === undefined || found.source === "guess") return;
    this.#sizes.set(model, found.context);
    this.#onChange();
  }
}

function usedTokens(usage: Usage | null): number {
  return usage === null ? 0 : usage.inputTokens + usage.outputTokens;
}
