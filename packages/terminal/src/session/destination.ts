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

async function create(client: Client): Promise<void> {
  const { holdfast, directory } = client;
  if (holdfast === null) throw new Error("There is no connection to the server.");
  const agent = client.agent.current ?? undefined;
  const handle = await holdfast.sessions.create({ directory, agent });
  if (client.mode.wanted !== null) await handle.setMode(client.mode.wanted);
  client.open(handle.sessionId);
  await client.offers.made;
}
