import type { Holdfast, Workspace } from "@holdfast/sdk";
import type { AcpSession } from "./acp-session.ts";
import type { SessionChoices, Offered } from "./session-choices.ts";
import { createKeyedMutex } from "../../base/serial.ts";
import { withTimeout } from "../../base/time.ts";

/** Commands, agents and models of a session's directory, for the editor. */
export interface Guide {
  /**
   * Returns the agents and models for the response that opens the session. The commands are sent after this response.
   */
  open(holdfast: Holdfast, session: AcpSession): Promise<Offered>;
  /**
   * Sends the commands, agents and models again if they have changed: the config may have changed during a run, or a
   * hosted agent has reported others. If sending fails, the editor keeps the old ones.
   */
  refresh(holdfast: Holdfast, session: AcpSession): void;
}

/** Milliseconds that opening a session waits for its directory to load. */
const longestLook = 5_000;

export function createGuide(options: {
  choices: SessionChoices;
  onError: (error: unknown) => void;
}): Guide {
  const { choices, onError } = options;
  /** Agents, models and commands that the editor knows, as JSON. */
  const sent = new WeakMap<AcpSession, string>();
  /** Refreshes one at a time, so that an older answer does not replace a newer one. */
  const refreshing = createKeyedMutex();
  const send = async (session: AcpSession, workspace: Workspace): Promise<void> => {
    await session.ready();
    const { configOptions = [] } = await choices.open(session, workspace);
    session.say({ sessionUpdate: "config_option_update", configOptions });
    await choices.sendCommands(session);
    sent.set(session, digestOf(workspace));
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
      // The editor knows the session only after the response to its request. So send what is found later after this
      // response.
      if (workspace === null) {
        setImmediate(() => {
          looking.then((found) => send(session, found)).catch(onError);
        });
        return {};
      }
      sent.set(session, digestOf(workspace));
      const offered = await choices.open(session, workspace);
      setImmediate(() => {
        choices.sendCommands(session).catch((error: unknown) => {
          // The next refresh sends them again.
          sent.delete(session);
          onError(error);
        });
      });
      return offered;
    },
    refresh: (holdfast, session) => {
      const look = async (): Promise<void> => {
        const workspace = await holdfast.workspaces.get(session.directory, { patience: 0 });
        if (sent.get(session) !== digestOf(workspace)) await send(session, workspace);
      };
      // Ignore the error: the next refresh compares again and sends what this one could not.
      refreshing.run(session.sessionId, look).catch(() => {});
    },
  };
}

function digestOf({ agent, agents, model, commands }: Workspace): string {
  return JSON.stringify([agent, agents, model, commands]);
}
