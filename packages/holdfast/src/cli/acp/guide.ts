import type { Holdfast, Workspace } from "@holdfast/sdk";
import type { AcpSession } from "./acp-session.ts";
import type { SessionChoices, Offered } from "./session-choices.ts";
import { withTimeout } from "../../base/time.ts";

/** Commands, agents and models of a session's directory, for the editor. */
export interface Guide {
  /**
   * Returns the agents and models for the response that opens the session. The commands are sent after this response.
   */
  open(holdfast: Holdfast, session: AcpSession): Promise<Offered>;
  /** Sends the commands, agents and models that have changed since the last call. */
  refresh(holdfast: Holdfast, session: AcpSession): Promise<void>;
}

/** Milliseconds that opening a session waits for its directory to load. */
const longestLook = 5_000;

export function createGuide(options: {
  choices: SessionChoices;
  onError: (error: unknown) => void;
}): Guide {
  const { choices, onError } = options;
  const sent = new WeakMap<AcpSession, string>();
  const sendCommands = async (session: AcpSession, workspace: Workspace): Promise<void> => {
    sent.set(session, digestOf(workspace));
    await session.ready();
    const availableCommands = workspace.commands.map(({ name, description }) => {
      return { name, description, input: { hint: "arguments" } };
    });
    session.say({ sessionUpdate: "available_commands_update", availableCommands });
  };
  return {
    open: async (holdfast, session) => {
      const looking = holdfast.workspaces.get(session.directory);
      // If loading fails or takes too long, the session opens anyway, and its prompts report the
      // problem.
      const workspace = await withTimeout(
        looking.catch(() => null),
        { milliseconds: longestLook, late: () => null },
      );
      const offered = workspace === null ? {} : await choices.open(session, workspace);
      // Send the commands after the answer that opens the session: before that answer, the editor does not know the
      // session.
      setImmediate(() => {
        looking.then((found) => sendCommands(session, found)).catch(onError);
      });
      return offered;
    },
    refresh: async (holdfast, session) => {
      const workspace = await holdfast.workspaces.get(session.directory, { patience: 0 });
      if (sent.get(session) === digestOf(workspace)) return;
      await sendCommands(session, workspace);
      const { configOptions = [] } = await choices.open(session, workspace);
      session.say({ sessionUpdate: "config_option_update", configOptions });
    },
  };
}

function digestOf({ agent, agents, model, commands }: Workspace): string {
  return JSON.stringify([agent, agents, model, commands]);
}
