import type { ConnectionChange } from "../connection.ts";
import type { AcpSession } from "./acp-session.ts";

/**
 * Tells the user of the editor that the Holdfast server is unreachable: one message in each session that has a waiting
 * prompt.
 */
export interface Absence {
  /** Records the new connection state, and shows it in the sessions that have shown the outage. */
  note(change: ConnectionChange): void;
  isNow(): boolean;
  /** Shows the outage in a session, unless the server is reachable or the session already shows it. */
  notify(session: Pick<AcpSession, "note">): void;
}

export function createAbsence(): Absence {
  let away: { readonly words: string; readonly informed: Set<Pick<AcpSession, "note">> } | null =
    null;
  return {
    note: ({ isAway, words }) => {
      for (const session of away?.informed ?? []) session.note(sentence(words));
      away = isAway ? { words, informed: new Set() } : null;
    },
    isNow: () => away !== null,
    notify: (session) => {
      if (away === null || away.informed.has(session)) return;
      away.informed.add(session);
      session.note(sentence(away.words));
    },
  };
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
