import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { lineSchema } from "./scalars.ts";

/** Limits of P5. */
export const maxAttachmentBytes = 20 * 1024 * 1024;
export const maxAttachments = 20;

export const attachmentSchema = component(
  "Attachment",
  z.object({
    hash: z.string().describe("what prompts refer to it by"),
    name: z.string().nullable(),
    mediaType: z.string(),
    bytes: z.int(),
  }),
);
export type Attachment = Wire<typeof attachmentSchema>;

export const shownFiles = {
  files: z.array(attachmentSchema).optional().describe("what it shows the model besides"),
};

export const uploadQuery = {
  name: lineSchema(200).optional().describe("a file name, for people and for the model"),
};
