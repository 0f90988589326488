import type { ConnectionChange } from "../connection.ts";
import type { AcpSession } from "./acp-session.ts";

/** That the server is away, as people are told it: once in each session where somebody waits for it. */
export interface Absence {
  /** Who was told that it is away hears that it is back. */
  note(change: ConnectionChange): void;
  isNow(): boolean;
  /** Nothing, where it is not away or that was told. */
  notify(session: Pick<AcpSession, "note">): void;
}

export function createAbsence(): Absence {
  let away: { readonly words: string; readonly told: Set<Pick<AcpSession, "note">> } | null = null;
  return {
    note: ({ isAway, words }) => {
      for (const session of away?.told ?? []) session.note(sentence(words));
      away = isAway ? { words, told: new Set() } : null;
    },
    isNow: () => away !== null,
    notify: (session) => {
      if (away === null || away.told.has(session)) return;
      away.told.add(session);
      session.note(sentence(away.words));
    },
  };
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
