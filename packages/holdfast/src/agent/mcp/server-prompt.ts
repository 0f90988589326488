import { z } from "zod";
import { quotedWords } from "../quoted-words.ts";
import type { ListedPrompt } from "./catalogue.ts";
import { McpProblem } from "./problem.ts";
import { resourceText } from "./call-result.ts";
import type { McpRequest } from "./server-tool.ts";

/** A prompt of a server that people can use as a command. */
export interface McpPrompt {
  /** Name of the command, in the form `server:prompt`. */
  readonly name: string;
  readonly description: string;
  /** Names of the command's parameters, in the order of its arguments. */
  readonly parameters: readonly string[];
  /** Requests the prompt text from the server, with the command's arguments. Throws an McpProblem. */
  expand(words: string, signal: AbortSignal): Promise<string>;
}

const resultSchema = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
});

const maxText = 200_000;

export function serverPrompt(server: string, listed: ListedPrompt, request: McpRequest): McpPrompt {
  const { parameters } = listed;
  return {
    name: `${server}:${listed.part}`,
    description: listed.description,
    parameters: parameters.map(({ name }) => name),
    expand: async (words, signal) => {
      const given = assign(parameters, words);
      const missing = parameters.filter(({ name, required }) => required && !given.has(name));
      if (missing.length > 0) {
        const names = missing.map(({ name }) => name).join(", ");
        throw new McpProblem(
          `The prompt ${server}:${listed.part} needs these arguments: ${names}.`,
        );
      }
      const { messages } = await request("prompts/get", {
        params: { name: listed.original, arguments: Object.fromEntries(given) },
        result: resultSchema,
        signal,
      });
      const text = messages.map(messageText).join("\n\n");
      if (text.length > maxText)
        throw new McpProblem(`The prompt is longer than ${maxText} characters.`);
      return text;
    },
  };
}

function messageText({ role, content }: { role: string; content: unknown }): string {
  const parts = Array.isArray(content) ? content : [content];
  const text = parts.map(partText).join("\n");
  return role === "user" ? text : `${role === "assistant" ? "Assistant" : "Other"}: ${text}`;
}

function partText(part: unknown): string {
  const parsed = z.object({ resource: z.unknown() }).safeParse(part);
  return resourceText(parsed.data?.resource ?? part);
}

/** Assigns one word to each parameter, and all remaining words to the last one. */
function assign(
  parameters: ListedPrompt["parameters"],
  given: string,
): ReadonlyMap<string, string> {
  const words = quotedWords(given);
  const last = parameters.length - 1;
  const assigned = parameters.map(({ name }, index) => {
    const own = index === last ? words.slice(index) : words.slice(index, index + 1);
    return [name, own.join(" ")] as const;
  });
  return new Map(assigned.filter(([, text]) => text !== ""));
}
