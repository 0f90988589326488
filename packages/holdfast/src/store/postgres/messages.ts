import type { MessageListener, NodeMessages } from "../store.ts";
import { Channel } from "./channel.ts";
import type { Settings } from "./options.ts";

/** Messages between processes. Its connection is opened when somebody wants to hear of them. */
export class Messages implements NodeMessages {
  readonly #channel: Channel;
  readonly #listeners = new Set<MessageListener>();
  #isOpen = false;

  constructor(settings: Settings) {
    this.#channel = new Channel({
      settings,
      prefix: "holdfast_messages",
      onOpen: () => {
        for (const listener of this.#listeners) listener.missed();
      },
      onText: (text) => {
        for (const listener of this.#listeners) listener.message(text);
      },
    });
  }

  send(messages: readonly string[]): Promise<boolean> {
    return this.#channel.send(messages);
  }

  listen(listener: MessageListener): () => void {
    this.#listeners.add(listener);
    if (!this.#isOpen) {
      this.#isOpen = true;
      void this.#channel.open();
    }
    return () => void this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    return this.#channel.close();
  }
}
