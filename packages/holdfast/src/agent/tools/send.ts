import { z } from "zod";
import { derivedId } from "./derived-id.ts";
import { completed, failed } from "./result.ts";
import type { Tool } from "./tool.ts";

const input = z.object({
  session: z
    .string()
    .regex(/^[A-Za-z0-9._:@+=~-]{1,200}$/)
    .describe("The id of the session."),
  prompt: z.string().min(1).max(100_000),
});

type SendInput = z.infer<typeof input>;

export const sendTool: Tool<SendInput> = {
  name: "send",
  description:
    "Sends a prompt to another session by its id, without waiting. The result arrives later as a new " +
    "prompt. To delegate a piece of work, use task.",
  input,
  example: { session: "session-1234", prompt: "The API is deployed. Run the smoke test." },
  // The prompt id is derived from the call, so a repeated call sends no second prompt (P3).
  repeatable: true,
  parallel: true,
  permission: ({ session, prompt }) => ({
    action: "send",
    subject: `session:${session}`,
    preview: `To session ${session}:\n${prompt}`,
  }),
  run: async ({ session, prompt }, context) => {
    if (session === context.sessionId)
      return failed("This is the id of the current session. Send to another session.");
    await context.agent.background({
      sessionId: session,
      promptId: derivedId("prompt", context),
      text: prompt,
      callId: context.callId,
    });
    return completed(`Sent to session ${session}.`);
  },
};
