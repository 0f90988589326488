import type { Delivery } from "@holdfast/sdk";
import type { Outgoing } from "../panels/queue-panel.ts";
import type { Destination } from "./destination.ts";

export interface OutboxOptions {
  /** Returns the destination of a text that is typed now. */
  readonly destination: () => Destination;
  readonly onChange: () => void;
  /** Called if sending fails. `text` is the prompt that was not sent; null for a note. */
  readonly onFailure: (error: unknown, text: string | null) => void;
}

interface Prompt extends Outgoing {
  readonly delivery: Delivery;
  readonly command: { name: string; arguments: string } | undefined;
  readonly destination: Destination;
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
    const destination = this.#options.destination();
    this.waiting = [...this.waiting, { promptId, text }];
    this.#options.onChange();
    const prompt = { promptId, text, delivery, command, destination };
    this.#sending = this.#sending.then(() => this.#deliver(prompt));
  }

  /** Adds a text to the conversation without requesting an answer. */
  note(text: string, destination: Destination): void {
    const promptId = `prompt-${crypto.randomUUID()}`;
    this.notes.add(promptId);
    const { onFailure } = this.#options;
    this.#sending = this.#sending
      .then(async () =>
        (await destination.session()).handle.prompt(text, { reply: false, promptId }),
      )
      .catch((error: unknown) => onFailure(error, null));
  }

  async #deliver({ promptId, text, delivery, command, destination }: Prompt): Promise<void> {
    const { onChange, onFailure } = this.#options;
    try {
      const view = await destination.session();
      const { model, agentMode } = destination.choices(view);
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
