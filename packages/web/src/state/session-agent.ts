import { createSignal } from "solid-js";
import { holdfast } from "./client.ts";
import { detailOf, putSession, sessions } from "./sessions.ts";
import { attempt } from "./show-error.ts";

interface Choice {
  readonly sessionId: string;
  readonly agent: string | null;
}

const [unconfirmed, setUnconfirmed] = createSignal<Choice | null>(null);

/** Returns the choice for this session that the server has not confirmed yet. */
export function unconfirmedAgent(sessionId: string): Choice | null {
  const choice = unconfirmed();
  return choice?.sessionId === sessionId ? choice : null;
}

/** Returns the agent of a session; null: the default agent of its directory. */
export function agentOf(sessionId: string): string | null {
  const choice = unconfirmedAgent(sessionId);
  if (choice !== null) return choice.agent;
  return (detailOf(sessionId) ?? sessions[sessionId])?.agent ?? null;
}

/** Sets the agent of a session. The server stores the agent, so that all clients show the same one. */
export async function setSessionAgent(sessionId: string, agent: string | null): Promise<void> {
  const choice = { sessionId, agent };
  setUnconfirmed(choice);
  await attempt(async () => putSession(await holdfast.session(sessionId).setAgent(agent)));
  setUnconfirmed((latest) => (latest === choice ? null : latest));
}
