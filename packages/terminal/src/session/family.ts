import { isEvent, Refused } from "@holdfast/sdk";
import type { FeedItem, Holdfast, SessionDetail } from "@holdfast/sdk";
import { belowParents } from "@holdfast/model/below-parents.ts";
import { changesLane } from "@holdfast/model/lane-events.ts";
import { hasWork } from "@holdfast/model/wanted-sessions.ts";
import type { Notifier } from "../notification.ts";
import type { OpenAsk } from "./session-view.ts";

/** A sub-agent's session: started by a run of the session on the screen, or by a run of another sub-agent. */
export interface FamilyMember {
  readonly detail: SessionDetail;
  readonly depth: number;
}

/** The parts of the terminal client that the family uses. */
export interface FamilyClient {
  /** Called when something that is shown has changed. */
  changed(): void;
  /** Notifies about new events of sub-agents, and marks their requests as seen when they are shown. */
  readonly notifier: Pick<Notifier, "announce" | "markSeen">;
}

/** Milliseconds between two reads of the same session. */
const readTime = 150;

/** Follows the sub-agents of the session on the screen, and the asks of all other sessions. */
export class Family {
  readonly #holdfast: Holdfast;
  readonly #client: FamilyClient;
  readonly #ended = new AbortController();
  readonly #details = new Map<string, SessionDetail>();
  readonly #asks = new Map<string, readonly OpenAsk[]>();
  readonly #reading = new Set<string>();
  /** Ids of the root session and of all sessions below it, even if their details are not known yet. */
  readonly #ids = new Set<string>();
  #root: string | null = null;
  #asking: ReadonlySet<string> = new Set();

  constructor(holdfast: Holdfast, client: FamilyClient) {
    this.#holdfast = holdfast;
    this.#client = client;
    // The feed reconnects by itself. If it ends, only the information about other sessions is missing.
    void this.#follow().catch(() => {});
    void this.#readAsking().catch(() => {});
  }

  /** Active sub-agents, each below the session that started it. */
  get members(): readonly FamilyMember[] {
    const working = [...this.#details.values()].filter(
      (detail) => detail.sessionId !== this.#root && hasWork(detail),
    );
    const byId = new Map(working.map((detail) => [detail.sessionId, detail]));
    const order = belowParents([...byId.keys()], (id) => byId.get(id)?.parent?.sessionId ?? null);
    return order.flatMap(({ id, depth }) => {
      const detail = byId.get(id);
      return detail === undefined ? [] : [{ detail, depth }];
    });
  }

  /** Open permission requests and questions of sub-agents. */
  get asks(): readonly OpenAsk[] {
    return [...this.#asks.values()].flat();
  }

  /** Number of sessions that wait for a person. Does not count the session on the screen and its sub-agents. */
  get othersAsking(): number {
    return [...this.#asking].filter((id) => !this.#ids.has(id)).length;
  }

  setRoot(sessionId: string | null): void {
    this.#root = sessionId;
    this.#details.clear();
    this.#ids.clear();
    this.#reading.clear();
    this.#asks.clear();
    if (sessionId !== null) this.#read(sessionId);
  }

  /** Removes an ask at once, so that it does not stay on the screen until its session is read. */
  closeAsk(sessionId: string, askId: string): void {
    const asks = this.#asks.get(sessionId);
    if (asks === undefined) return;
    this.#asks.set(
      sessionId,
      asks.filter((ask) => ask.askId !== askId),
    );
    this.#client.changed();
  }

  close(): void {
    this.#ended.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    for await (const item of this.#holdfast.events({
      after: "now",
      deltas: false,
      signal,
      patience: Infinity,
    })) {
      this.#take(item);
    }
  }

  #take(item: FeedItem): void {
    // The event stream has begun. Read the session to find sub-agents that it started earlier.
    if (item.type === "live" && this.#root !== null) this.#read(this.#root);
    if (item.type === "reset") {
      // Events are missing, for example because a backup was restored. Read everything again.
      this.setRoot(this.#root);
      void this.#readAsking().catch(() => {});
    }
    if (!isEvent(item)) return;
    const isMember = this.#ids.has(item.sessionId);
    if (item.type === "child.linked" && isMember) this.#read(item.childSessionId);
    if (isMember && changesLane({ ...item, cursor: "" })) this.#read(item.sessionId);
    if (isMember && item.sessionId !== this.#root) void this.#client.notifier.announce(item);
    if (item.type === "ask.closed") this.closeAsk(item.sessionId, item.askId);
    if (item.type === "ask.opened" || item.type === "ask.closed") {
      // If this fails, the set of sessions with open permission requests is read again when the next request opens or
      // closes.
      void this.#readAsking().catch(() => {});
    }
  }

  async #readAsking(): Promise<void> {
    const { items } = await this.#holdfast.asks({ limit: 100, signal: this.#ended.signal });
    this.#asking = new Set(items.map(({ sessionId }) => sessionId));
    this.#client.changed();
  }

  /** Schedules a read of a session. Several events in quick succession cause one read. */
  #read(sessionId: string): void {
    this.#ids.add(sessionId);
    if (this.#reading.has(sessionId)) return;
    this.#reading.add(sessionId);
    const root = this.#root;
    setTimeout(() => {
      // The user has opened another session since this read was scheduled. Skip the read: `sessionId` may be unrelated
      // to the session that is open now.
      if (root !== this.#root) return;
      this.#reading.delete(sessionId);
      // If this fails, the session is read again after its next event.
      if (!this.#ended.signal.aborted) void this.#readNow(sessionId).catch(() => {});
    }, readTime);
  }

  async #readNow(sessionId: string): Promise<void> {
    const { signal } = this.#ended;
    const root = this.#root;
    const handle = this.#holdfast.session(sessionId);
    const detail = await handle.get({ signal }).catch((error: unknown) => {
      if (error instanceof Refused) return null;
      throw error;
    });
    if (detail === null || root !== this.#root) return;
    this.#details.set(sessionId, detail);
    const children = detail.active?.kind === "run" ? detail.active.children : [];
    const open = [...children.filter(({ outcome }) => outcome === null), ...detail.background];
    for (const child of open) if (!this.#ids.has(child.sessionId)) this.#read(child.sessionId);
    await this.#readAsks(detail);
    this.#client.changed();
  }

  async #readAsks({ sessionId, openAsks }: SessionDetail): Promise<void> {
    if (sessionId === this.#root || openAsks === 0) {
      this.#asks.delete(sessionId);
      return;
    }
    const { signal } = this.#ended;
    const { items } = await this.#holdfast.session(sessionId).asks({ open: true, signal });
    this.#asks.set(sessionId, items);
    this.#client.notifier.markSeen(sessionId);
  }
}
