import { z } from "zod";
import type { ToolContext } from "../tools/tool.ts";
import type { SampleAnswer } from "./caller.ts";
import { brief } from "./wire.ts";

const textSchema = z.object({ type: z.literal("text"), text: z.string().max(400_000) });
const paramsSchema = z.object({
  messages: z
    .array(
      z.object({
        role: z.enum(["user", "assistant"]),
        content: z.union([textSchema, z.array(textSchema)]),
      }),
    )
    .min(1)
    .max(100),
  systemPrompt: z.string().max(100_000).optional(),
  maxTokens: z.number().int().positive(),
  tools: z.array(z.unknown()).max(0, "tools are not supported").optional(),
});

/** Maximum number of model calls that a server may request during one tool call. */
const maxSamples = 10;
const maxTokens = 8_000;

/** Handles the sampling requests of one tool call: the server requests model calls, which count as usage of the run. */
export function createSampling(
  server: string,
  { sample }: Pick<ToolContext, "sample">,
): (params: unknown) => Promise<SampleAnswer> {
  let count = 0;
  return async (params) => {
    if (sample === undefined)
      throw new Error("requests to the model (sampling) are not available here");
    count += 1;
    if (count > maxSamples)
      throw new Error(
        `at most ${maxSamples} requests to the model (sampling) are allowed in one tool call`,
      );
    const parsed = paramsSchema.safeParse(params);
    if (!parsed.success)
      throw new Error(`the sampling request is not valid: ${z.prettifyError(parsed.error)}`);
    const { messages, systemPrompt = "", maxTokens: wanted } = parsed.data;
    const texts = messages.map(({ role, content }) => ({
      role,
      text: [content]
        .flat()
        .map((part) => part.text)
        .join("\n"),
    }));
    const last = texts.at(-1)?.text ?? "";
    const { text, model, isCut } = await sample({
      system: systemPrompt,
      messages: texts,
      maxOutput: Math.min(wanted, maxTokens),
      permission: {
        action: "mcp",
        subject: `${server}/sampling:`,
        preview: `The MCP server ${server} asks the model, at your cost: ${brief(last, 2_000)}`,
      },
    });
    return {
      model,
      role: "assistant",
      content: { type: "text", text },
      stopReason: isCut ? "maxTokens" : "endTurn",
    };
  };
}
