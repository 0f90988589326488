import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { maxPageSize, pageFields, pageQuery } from "./page.ts";
import {
  directorySchema,
  emptyTextSchema,
  idSchema,
  queryFlag,
  queryList,
  queryNumber,
  timeSchema,
  wholeSchema,
} from "./scalars.ts";

export const textKindSchema = component("TextKind", () =>
  z
    .enum(["title", "prompt", "answer", "toolCall", "toolResult"])
    .describe("toolCall: name and input of a tool call; toolResult: output of a tool call"),
);

const maxQueryLength = 1_000;
export const defaultHits = 20;

export const searchQuery = {
  q: emptyTextSchema()
    .min(1)
    .max(maxQueryLength)
    .describe(
      'words that a text must contain, in any order; "quoted words" must follow each other; word* finds all words that start with it',
    ),
  session: idSchema.optional().describe("only texts of this session"),
  directory: directorySchema
    .optional()
    .describe("only sessions in this directory or below it, as an absolute path"),
  kind: queryList(textKindSchema)
    .optional()
    .describe("only texts of this kind; may be given more than once"),
  archived: queryFlag
    .optional()
    .describe("false: without archived sessions; true: only archived sessions"),
  since: queryNumber(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("only texts from this time on, in milliseconds since 1970"),
  until: queryNumber(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("only texts before this time, in milliseconds since 1970"),
  after: pageQuery.after,
  limit: queryNumber(1, maxPageSize)
    .optional()
    .describe(`how many at most; ${defaultHits} if left out`),
};

export const searchHitSchema = component("SearchHit", () =>
  z.object({
    sessionId: z.string(),
    title: z.string().nullable().describe("title of the session"),
    directory: z.string(),
    archived: z.boolean(),
    kind: textKindSchema,
    seq: wholeSchema.describe("seq of the event with the text"),
    promptId: z.string().optional().describe("the prompt, if the text is a prompt"),
    callId: z.string().optional().describe("the tool call, if the text belongs to one"),
    at: timeSchema,
    snippet: z
      .array(z.object({ text: z.string(), isMatch: z.boolean() }))
      .describe("the text around the first match, in pieces; join them to show it"),
  }),
);
export type SearchHit = Wire<typeof searchHitSchema>;

export const searchPageSchema = component("SearchPage", () =>
  z.object({
    ...pageFields(searchHitSchema),
    isComplete: z
      .boolean()
      .describe("false: the server is still indexing texts, so newer ones may be missing"),
  }),
);
export type SearchPage = Wire<typeof searchPageSchema>;
