import type { ModeOwner } from "./mode.ts";
import type { SessionView } from "./session-view.ts";

/** The agent of the session on the screen. The server stores it, so other clients can change it too. */
export class SessionAgent {
  /** The agent of new sessions. Null: the default agent of the directory. */
  usual: string | null = null;
  /** Resolves when the server has answered the last change. Prompts wait for this. */
  stored: Promise<void> = Promise.resolve();
  /** The choice of this client that the server has not confirmed yet. Null: there is none. */
  #wanted: { readonly agent: string | null } | null = null;
  readonly #owner: ModeOwner;

  constructor(owner: ModeOwner) {
    this.#owner = owner;
  }

  /** Null: the default agent of the directory. */
  get current(): string | null {
    if (this.#wanted !== null) return this.#wanted.agent;
    const { view } = this.#owner;
    return view === null ? this.usual : (view.detail?.agent ?? null);
  }

  /** Sets the agent of a session: by default of the session on the screen. Null: there is no session yet. */
  set(agent: string | null, view: SessionView | null = this.#owner.view): void {
    const wanted = { agent };
    // If another session was opened since the user chose, that session keeps its own agent.
    if (view === this.#owner.view) {
      this.#wanted = wanted;
      this.#owner.say(`Agent: ${agent ?? "the default of the directory"}`);
    }
    // Before the first prompt there is no session. It is created with this agent.
    if (view === null) return;
    const store = async (): Promise<void> => {
      await this.#owner.act(async () => view.learn(await view.handle.setAgent(agent)), view);
      // Keep a later choice that the server has not confirmed yet.
      if (this.#wanted === wanted) this.forget();
    };
    this.stored = this.stored.then(store);
  }

  /** Discards the chosen agent, because the server has answered or another session is shown. */
  forget(): void {
    this.#wanted = null;
  }
}
