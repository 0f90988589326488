import type { Delivery } from "@holdfast/sdk";
import type { Outgoing } from "../panels/queue-panel.ts";
import type { SessionView } from "./session-view.ts";
import type { PromptChoices } from "./hosted-agent.ts";

export interface OutboxOptions {
  /** Returns the session on the screen, or creates one. */
  readonly session: () => Promise<SessionView>;
  readonly choices: () => PromptChoices;
  readonly onChange: () => void;
  /** Called if sending fails. `text` is the prompt that was not sent; null for a note. */
  readonly onFailure: (error: unknown, text: string | null) => void;
}

interface Prompt extends Outgoing {
  readonly delivery: Delivery;
  readonly command: { name: string; arguments: string } | undefined;
}

/** Sends prompts one after another, in the order in which they were typed. */
export class Outbox {
  /** Prompts that the server has not accepted yet. */
  waiting: readonly Outgoing[] = [];
  /**
   * Ids of the texts that `note` has sent. The screen already shows these texts, so the conversation does not repeat
   * them.
   */
  readonly notes = new Set<string>();
  readonly #options: OutboxOptions;
  #sending: Promise<unknown> = Promise.resolve();

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  send(text: string, delivery: Delivery, command?: Prompt["command"]): void {
    const promptId = `prompt-${crypto.randomUUID()}`;
    this.waiting = [...this.waiting, { promptId, text }];
    this.#options.onChange();
    this.#sending = this.#sending.then(() => this.#deliver({ promptId, text, delivery, command }));
  }

  /** Adds a text to the conversation without requesting an answer. */
  note(text: string): void {
    const promptId = `prompt-${crypto.randomUUID()}`;
    this.notes.add(promptId);
    const { session, onFailure } = this.#options;
    this.#sending = this.#sending
      .then(async () => (await session()).handle.prompt(text, { reply: false, promptId }))
      .catch((error: unknown) => onFailure(error, null));
  }

  async #deliver({ promptId, text, delivery, command }: Prompt): Promise<void> {
    const { session, choices, onChange, onFailure } = this.#options;
    try {
      const view = await session();
      const { model, agentMode } = choices();
      await view.handle.prompt(command === undefined ? text : "", {
        promptId,
        delivery,
        ...(command === undefined ? {} : { command }),
        ...(model === null ? {} : { model }),
        ...(agentMode === null ? {} : { agentMode }),
      });
      view.refresh();
    } catch (error) {
      onFailure(error, text);
    }
    this.waiting = this.waiting.filter((item) => item.promptId !== promptId);
    onChange();
  }
}
