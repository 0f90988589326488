import type { Attention } from "../../kernel/notice.ts";
import type { Records } from "../outbox/progress.ts";
import { readGood } from "../security/token-record.ts";
import { updateRecord } from "../../store/update-record.ts";

/** Stores each person's notification settings, and the events that the person has seen. */
export interface Attentions {
  /** Returns the id of the person to whom a token belongs; null if the token is no longer valid. */
  person(tokenId: string | null): Promise<string | null>;
  get(person: string): Promise<Attention>;
  /** Changes the record of a person. `change` is called again if another node has changed the record meanwhile. */
  update(person: string, change: (before: Attention) => Attention): Promise<Attention>;
}

const kind = "attention";
/** Maximum numbers of seen and of muted sessions to store per person. The oldest entries are dropped first. */
const maxSeen = 500;
export const maxMuted = 500;

const nothing: Attention = { seen: {}, muted: [], quietHours: null };
/** Id of the person for in-process callers, which have no token. */
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
      let before = nothing;
      const changed = await updateRecord(records, { kind, id: person }, (found) => {
        before = found === null ? nothing : attentionOf(found.value);
        const value = change(before);
        return value === before ? null : value;
      });
      return changed ?? before;
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

/**
 * Returns a copy of the map in which the session has the given `seq` and is the newest entry. If there are more than
 * `limit` entries, drops the oldest.
 */
export function withLatest(
  before: Readonly<Record<string, number>>,
  { sessionId, seq }: { sessionId: string; seq: number },
  limit: number,
): Record<string, number> {
  const { [sessionId]: _, ...others } = before;
  const kept = Object.entries(others).slice(-(limit - 1));
  return { ...Object.fromEntries(kept), [sessionId]: seq };
}

// Converts a stored record, without checking its format: only this program writes these records.
function attentionOf(value: unknown): Attention {
  const attention: Attention = JSON.parse(JSON.stringify(value));
  return attention;
}
