import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { lineSchema } from "./scalars.ts";

/** Limits for attachments (P5). */
export const maxAttachmentBytes = 20 * 1024 * 1024;
export const maxAttachments = 20;

export const attachmentSchema = component("Attachment", () =>
  z.object({
    hash: z.string().describe("SHA-256 of the content; prompts refer to the attachment by it"),
    name: z.string().nullable(),
    mediaType: z.string(),
    bytes: z.int(),
  }),
);
export type Attachment = Wire<typeof attachmentSchema>;

export const shownFiles = {
  files: z.array(attachmentSchema).optional().describe("files that the tool shows to the model"),
};

export const uploadQuery = {
  name: lineSchema(200).optional().describe("file name, for people and for the model"),
};
