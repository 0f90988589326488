import { AgentFailure } from "../agent.ts";
import type { UserMessage } from "../message.ts";
import type { SessionMode } from "../../kernel/state.ts";
import type { AgentChoices, Choice } from "./agent-choices.ts";
import type { ForeignSession } from "./foreign-session.ts";

/** Model and mode of a hosted agent that people selected in a session. They are stored with each turn. */
export interface Chosen {
  readonly model: string | null;
  readonly mode: string | null;
  /** The agent's mode when its session was new. The agent returns to it after plan mode. */
  readonly usualMode: string | null;
}

export const nothingChosen: Chosen = { model: null, mode: null, usualMode: null };

/**
 * Sends the selected model and mode to the agent before a turn, if the agent does not use them yet. A selection applies
 * to its prompt and to later prompts. Returns the selection to store with the turn.
 */
export async function applyChoices(options: {
  readonly session: ForeignSession;
  readonly prompt: Pick<UserMessage, "model" | "agentMode"> | undefined;
  /** Model and mode that were selected in the session's last turn, as stored in the log. */
  readonly past: Chosen;
  readonly sessionMode: SessionMode;
  readonly agent: string;
  /** Aborts when the run stops (H5). */
  readonly signal: AbortSignal;
}): Promise<Chosen> {
  const { session, prompt, past, sessionMode, agent, signal } = options;
  const offered = session.choices();
  const model = wanted(prompt?.model, {
    remembered: past.model,
    offered: offered.models,
    what: "model",
    agent,
  });
  const mode = wanted(prompt?.agentMode, {
    remembered: past.mode,
    offered: offered.modes,
    what: "mode",
    agent,
  });
  const usualMode = past.usualMode ?? offered.mode;
  const chosen = { model, mode, usualMode };
  if (model !== null && model !== offered.model) await session.choose("model", model, signal);
  const next = (sessionMode === "plan" ? planMode(offered) : null) ?? mode ?? usualMode;
  if (next !== null && next !== offered.mode && isOffered(offered.modes, next)) {
    await session.choose("mode", next, signal);
  }
  return chosen;
}

/** Returns the id of the agent's own plan mode, which it uses while the session is in plan mode; null: it has none. */
function planMode({ modes }: AgentChoices): string | null {
  return modes.find(({ id }) => id === "plan" || id === "read-only")?.id ?? null;
}

/**
 * Returns the model or mode that the prompt selects. If the prompt selects none, returns the one of the last turn, if
 * the agent still offers it.
 */
function wanted(
  named: string | undefined,
  known: { remembered: string | null; offered: readonly Choice[]; what: string; agent: string },
): string | null {
  const { remembered, offered, what, agent } = known;
  if (named === undefined) {
    return remembered !== null && isOffered(offered, remembered) ? remembered : null;
  }
  if (isOffered(offered, named)) return named;
  const ids = offered.map(({ id }) => id).join(", ");
  const advice = ids === "" ? `It offers no choice of ${what}s.` : `Choose one of: ${ids}.`;
  throw new AgentFailure("agentError", `${agent} has no ${what} "${named}". ${advice}`);
}

function isOffered(choices: readonly Choice[], id: string): boolean {
  return choices.some((choice) => choice.id === id);
}
