import type { MessageListener, NodeMessages } from "../store.ts";
import { Channel } from "./channel.ts";
import type { ChannelOptions } from "./channel.ts";

/** Messages between processes. The first listener opens the connection. */
export class Messages implements NodeMessages {
  readonly #channel: Channel;
  readonly #listeners = new Set<MessageListener>();
  #isOpen = false;

  constructor(options: Pick<ChannelOptions, "settings" | "key" | "onRejected">) {
    this.#channel = new Channel({
      ...options,
      prefix: "holdfast_deltas",
      onOpen: () => {
        for (const listener of this.#listeners) listener.missed();
      },
      onText: (text) => {
        let isRead = true;
        for (const listener of this.#listeners) isRead = listener.message(text) && isRead;
        return isRead;
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
