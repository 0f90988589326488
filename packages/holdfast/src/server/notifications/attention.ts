import type { Attention } from "../../kernel/notice.ts";
import type { Records } from "../outbox/progress.ts";
import { readGood } from "../security/token-record.ts";

/** Stores what each person has seen, muted and chosen. */
export interface Attentions {
  /** Returns the id of the person behind a token; null if the token is no longer valid. */
  person(tokenId: string | null): Promise<string | null>;
  get(person: string): Promise<Attention>;
  /** Changes the record of a person. `change` can be called several times. */
  update(person: string, change: (before: Attention) => Attention): Promise<Attention>;
}

const kind = "attention";
/** Limits for each person. The oldest entries are dropped first. */
const maxSeen = 500;
export const maxMuted = 500;

const nothing: Attention = { seen: {}, muted: [], quietHours: null };
/** The person behind callers in this process, which have no token. */
const local = "local";

export function createAttentions(options: { records: Records; now: () => number }): Attentions {
  const { records, now } = options;
  return {
    person: async (tokenId) => {
      if (tokenId === null) return local;
      const found = await readGood(records, { tokenId, now: now() });
      return found?.lineage.at(-1) ?? null;
    },
    get: async (person) => {
      const found = await records.record(kind, person);
      return found === null ? nothing : attentionOf(found.value);
    },
    update: async (person, change) => {
      for (;;) {
        const found = await records.record(kind, person);
        const before = found === null ? nothing : attentionOf(found.value);
        const value = change(before);
        if (value === before) return before;
        const write = { kind, id: person, value, version: found?.version ?? null };
        const written = await records.putRecord(write);
        if (written.status === "stored") return value;
      }
    },
  };
}

/** Records that a person has seen a session up to `seq`. A late request with a lower `seq` changes nothing. */
export function withSeen(
  before: Attention,
  { sessionId, seq }: { sessionId: string; seq: number },
): Attention {
  if ((before.seen[sessionId] ?? 0) >= seq) return before;
  return { ...before, seen: withLatest(before.seen, { sessionId, seq }, maxSeen) };
}

/** Sets the `seq` of a session, and drops the oldest entries above the limit. */
export function withLatest(
  before: Readonly<Record<string, number>>,
  { sessionId, seq }: { sessionId: string; seq: number },
  limit: number,
): Record<string, number> {
  const { [sessionId]: _, ...others } = before;
  const kept = Object.entries(others).slice(-(limit - 1));
  return { ...Object.fromEntries(kept), [sessionId]: seq };
}

// Only this program writes these records, so their shape is trusted.
function attentionOf(value: unknown): Attention {
  const attention: Attention = JSON.parse(JSON.stringify(value));
  return attention;
}
