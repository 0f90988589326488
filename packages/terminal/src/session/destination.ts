import type { Client } from "../client.ts";
import { promptChoices } from "./hosted-agent.ts";
import type { PromptChoices } from "./hosted-agent.ts";
import type { SessionView } from "./session-view.ts";

/** Session and choices for a text. They stay the same if another session is opened before the text is sent. */
export interface Destination {
  /** Returns the session that was on the screen. If there was none, returns the session on the screen or creates one. */
  session(): Promise<SessionView>;
  /** Returns the choices to send. The agent of the session decides which model and mode a prompt can name. */
  choices(view: SessionView): PromptChoices;
}

export const endedNote =
  "This session is no longer updated here. /sessions opens a session, /new starts one";

/** Returns the destination of a text that is typed now. */
export function destinationNow(client: Client, connected: Promise<void>): Destination {
  const { view: typedIn, model, agentModel, agentMode } = client;
  return {
    session: async () => {
      await connected;
      await client.wake();
      await client.offers.made;
      await client.agent.stored;
      if (typedIn === null && client.view === null) await create(client);
      const view = latestView(client, typedIn);
      if (view === null) throw new Error("The session was closed.");
      if (view.isEnded) throw new Error(endedNote);
      if (view.detail === null) view.learn(await view.handle.get());
      return view;
    },
    choices: ({ detail }) => {
      const agent = { current: detail?.agent ?? null };
      return promptChoices({ workspace: client.workspace, agent, model, agentModel, agentMode });
    },
  };
}

/** Returns the view on the screen if it shows the same session: the session may have been opened again. */
export function latestView({ view }: Client, typedIn: SessionView | null): SessionView | null {
  if (typedIn === null || view?.handle.sessionId === typedIn.handle.sessionId) return view;
  return typedIn;
}

/** Creates a session with the agent and the mode that the user has chosen, even during the creation, and shows it. */
async function create(client: Client): Promise<void> {
  const { holdfast, directory } = client;
  if (holdfast === null) throw new Error("There is no connection to the server.");
  let agent = client.agent.current;
  let mode = client.mode.wanted;
  const handle = await holdfast.sessions.create({ directory, agent: agent ?? undefined });
  if (mode !== null) await handle.setMode(mode);
  // If another session was opened meanwhile, later choices are for that one.
  while (client.view === null) {
    const { wanted } = client.mode;
    if (client.agent.current !== agent) {
      agent = client.agent.current;
      await handle.setAgent(agent);
    } else if (wanted !== null && wanted !== mode) {
      mode = wanted;
      await handle.setMode(mode);
    } else break;
  }
  client.open(handle.sessionId);
  await client.offers.made;
}
