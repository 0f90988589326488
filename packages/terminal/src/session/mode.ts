import type { SessionMode } from "@holdfast/sdk";
import type { SessionView } from "./session-view.ts";

export const modes: readonly SessionMode[] = ["ask", "acceptEdits", "plan"];

/** Names of the modes as people see them. */
export const modeNames = { ask: "ask", acceptEdits: "accept edits", plan: "plan" } as const;

export const modeMeanings: Readonly<Record<SessionMode, string>> = {
  ask: "changes and commands need your permission",
  acceptEdits: "files in this directory change without a question",
  plan: "the agent reads and plans, and nothing is changed",
};

export interface ModeOwner {
  readonly view: SessionView | null;
  say(text: string): void;
  /** Runs an action on a session: by default on the session on the screen. */
  act(work: (view: SessionView) => Promise<unknown>, view?: SessionView): Promise<void>;
}

/** The permission mode of the session on the screen. The server stores it, so other clients can change it too. */
export class Mode {
  #choice: { readonly mode: SessionMode } | null = null;
  readonly #owner: ModeOwner;

  constructor(owner: ModeOwner) {
    this.#owner = owner;
  }

  /**
   * The mode that this client has chosen and the server has not confirmed yet, for example because the session does not
   * exist yet.
   */
  get wanted(): SessionMode | null {
    return this.#choice?.mode ?? null;
  }

  get current(): SessionMode {
    return this.wanted ?? this.#owner.view?.detail?.mode ?? "ask";
  }

  next(): void {
    const next = modes[(modes.indexOf(this.current) + 1) % modes.length] ?? "ask";
    void this.set(next);
  }

  async set(mode: SessionMode): Promise<void> {
    const choice = { mode };
    this.#choice = choice;
    this.#owner.say(`Mode ${modeNames[mode]}: ${modeMeanings[mode]}`);
    // Before the first prompt there is no session. The mode is set when the session is created.
    if (this.#owner.view === null) return;
    await this.#owner.act(async (view) => view.learn(await view.handle.setMode(mode)));
    // Keep a later choice that the server has not confirmed yet. It may be the same mode for another session.
    if (this.#choice === choice) this.forget();
  }

  /** Discards the chosen mode, because another session is shown. */
  forget(): void {
    this.#choice = null;
  }
}
