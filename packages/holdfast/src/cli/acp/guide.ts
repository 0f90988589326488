import type { Holdfast, Workspace } from "@holdfast/sdk";
import type { AcpSession } from "./acp-session.ts";
import type { ChoiceDesk, Offered } from "./session-choices.ts";
import { withTimeout } from "../../base/time.ts";

/** What a session's directory has for prompts: commands, agents, models. */
export interface Guide {
  /** For the answer to whoever opens the session; commands are told behind it. */
  open(holdfast: Holdfast, session: AcpSession): Promise<Offered>;
  /** Tells what has changed since. */
  lookAgain(holdfast: Holdfast, session: AcpSession): Promise<void>;
}

/** Milliseconds that a session's opening waits for what its directory has. */
const longestLook = 5_000;

export function createGuide(options: {
  choices: ChoiceDesk;
  onError: (error: unknown) => void;
}): Guide {
  const { choices, onError } = options;
  const told = new WeakMap<AcpSession, string>();
  const tellCommands = async (session: AcpSession, workspace: Workspace): Promise<void> => {
    told.set(session, digestOf(workspace));
    await session.ready();
    const availableCommands = workspace.commands.map(({ name, description }) => {
      return { name, description, input: { hint: "words for it" } };
    });
    session.say({ sessionUpdate: "available_commands_update", availableCommands });
  };
  return {
    open: async (holdfast, session) => {
      const looking = holdfast.workspaces.get(session.directory);
      // Without it the session opens all the same, and its prompts report the problem.
      const workspace = await withTimeout(
        looking.catch(() => null),
        { milliseconds: longestLook, late: () => null },
      );
      const offered = workspace === null ? {} : await choices.open(session, workspace);
      // An editor knows the session from the answer on.
      setImmediate(() => {
        looking.then((found) => tellCommands(session, found)).catch(onError);
      });
      return offered;
    },
    lookAgain: async (holdfast, session) => {
      const workspace = await holdfast.workspaces.get(session.directory, { patience: 0 });
      if (told.get(session) === digestOf(workspace)) return;
      await tellCommands(session, workspace);
      const { configOptions = [] } = await choices.open(session, workspace);
      session.say({ sessionUpdate: "config_option_update", configOptions });
    },
  };
}

function digestOf({ agent, agents, model, commands }: Workspace): string {
  return JSON.stringify([agent, agents, model, commands]);
}
