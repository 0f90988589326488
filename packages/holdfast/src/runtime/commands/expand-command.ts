import { CommandRefused } from "../../runner/command-refused.ts";
import type { ExpandedPrompt, PromptInput } from "../../runner/prompt.ts";
import type { CommandParts } from "./command-parts.ts";

/**
 * What a prompt that names a command stands for now; null for one that names none, and for one that
 * was accepted before: it keeps what it had (P3), whatever has become of the command.
 */
export async function expandCommand(
  parts: CommandParts,
  input: Omit<PromptInput, "actor">,
): Promise<ExpandedPrompt | null> {
  const { sessionId, promptId, command, text } = input;
  if (command === undefined) return null;
  if (text !== "") throw refused("a prompt has a text or a command, not both");
  const { store } = parts;
  const [row, lane] = await Promise.all([store.prompt(sessionId, promptId), store.lane(sessionId)]);
  // Whoever sends to a session that is not there is told so.
  if (row !== null || lane === null) return null;
  const found = await parts.expand?.({ ...command, directory: lane.directory });
  if (found === undefined) throw refused("there are no commands here");
  if (found.status === "failed") throw refused(found.message);
  const { builtIn } = found;
  if (builtIn && input.reply === false) throw refused(`/${command.name} needs a reply`);
  if (builtIn && (input.attachments ?? []).length > 0) {
    throw refused(`/${command.name} takes no files`);
  }
  return {
    text: found.text,
    agent: input.agent ?? found.agent ?? undefined,
    model: input.model ?? found.model ?? undefined,
    builtIn,
  };
}

function refused(message: string): CommandRefused {
  return new CommandRefused({ code: "invalid", field: "command", message });
}
