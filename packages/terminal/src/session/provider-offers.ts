type Offer = (sessionId: string) => Promise<void>;

/**
 * Lets the session on the screen use the model providers of this process's environment. The server keeps them in
 * memory, so this class offers them again when a lost server is back.
 */
export class ProviderOffers {
  /** Resolves when the server has accepted or refused the model providers that this process offered. */
  made: Promise<void> = Promise.resolve();
  readonly #onFailure: (error: unknown) => void;
  #offer: Offer = () => Promise.resolve();
  #sessionId: string | null = null;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  connect(offer: Offer): void {
    this.#offer = offer;
  }

  make(sessionId: string): void {
    this.#sessionId = sessionId;
    this.made = this.#offer(sessionId).catch(this.#onFailure);
  }

  makeAgain(): void {
    if (this.#sessionId !== null) this.make(this.#sessionId);
  }
}
