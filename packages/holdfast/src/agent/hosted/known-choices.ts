import { readFile } from "node:fs/promises";
import { z } from "zod";
import { writePrivateFile } from "../../base/private-file.ts";
import { noChoices } from "./agent-choices.ts";
import type { AgentChoices } from "./agent-choices.ts";

const choice = z.object({ id: z.string(), name: z.string(), description: z.string() });
const fileSchema = z.object({
  models: z.array(choice),
  modes: z.array(choice),
  commands: z.array(z.object({ name: z.string(), description: z.string() })),
});

/**
 * Reads a file with the models, modes and commands that an agent offered earlier. They are used until a new session of
 * the agent reports its current ones.
 */
export async function readKnownChoices(file: string): Promise<AgentChoices> {
  try {
    return { ...noChoices, ...fileSchema.parse(JSON.parse(await readFile(file, "utf8"))) };
  } catch {
    // The file does not exist because the agent has not run yet, or another Holdfast version wrote the file in another
    // format.
    return noChoices;
  }
}

export async function storeKnownChoices(file: string, choices: AgentChoices): Promise<void> {
  const { models, modes, commands } = choices;
  // Ignore an error: the file is only a cache of the agent's models, modes and commands. Without the file, they are
  // known after the next start of the agent.
  await writePrivateFile(file, JSON.stringify({ models, modes, commands })).catch(() => {});
}
