import { z } from "zod";
import { attachmentSchema, shownFiles } from "./attachment.ts";
import { component } from "./component.ts";
import { callSchema, contextUseSchema } from "./message.ts";
import { named } from "./prompt.ts";

// Content of events, as sent to clients.

export const promptContent = component("PromptContent", () =>
  z.object({ text: z.string(), attachments: z.array(attachmentSchema), ...named }),
);

export const resultContent = component("ResultContent", () => z.object({ text: z.string() }));

export const answerContent = component("AnswerContent", () =>
  z.object({
    text: z.string(),
    reasoning: z.string().nullable(),
    model: z.string().nullable(),
    effort: z.string().optional().describe("requested level of reasoning"),
    context: contextUseSchema.optional(),
    summary: z.boolean().describe("true: a summary that replaces the conversation before it"),
    calls: z.array(callSchema),
  }),
);

export const intentContent = component("IntentContent", () =>
  z.object({
    summary: z.string().describe("the planned action of the call"),
    files: z.array(z.object({ path: z.string(), before: z.string().nullable() })),
  }),
);

export const toolContent = component("ToolContent", () =>
  z.object({
    output: z.string(),
    extra: z.unknown().describe("data from the tool besides its output, such as a diff"),
    ...shownFiles,
  }),
);

export const askContent = component("AskContent", () =>
  z.object({ question: z.string(), extra: z.unknown() }),
);
