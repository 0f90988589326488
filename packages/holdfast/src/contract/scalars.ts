import { z } from "zod";
import { component } from "./component.ts";

// Schemas of single fields. Requests are validated against them; for responses they are only documentation.

/** Ids are also used as path segments, so `.` and `..` are not allowed. */
export const idSchema = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._:@+=~-]{1,200}$/, {
    error: "must be 1 to 200 characters from letters, digits and . _ : @ + = ~ -",
  })
  .describe("1 to 200 characters from letters, digits and . _ : @ + = ~ -");

export const hashSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: "must be a SHA-256 in 64 hexadecimal digits" })
  .describe("a SHA-256 in hexadecimal");

/** A sequence number in a session's log, or a count. */
export const wholeSchema = z.int().min(0);

export const timeSchema = z.int().min(0).describe("milliseconds since 1970");

/** One line of text. Control characters are not allowed, because they could change the state of a terminal. */
export function lineSchema(maxLength: number): z.ZodString {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^\P{Cc}*$/u, { error: "must not have control characters" })
    .refine(isWellFormed, { error: "must be well-formed Unicode" });
}

/** Any non-empty text, with one or more lines. */
export function textSchema(): z.ZodString {
  return emptyTextSchema().min(1);
}

/** Any text, even empty: for a field that may be empty if another field is set. */
export function emptyTextSchema(): z.ZodString {
  return z.string().refine(isWellFormed, { error: "must be well-formed Unicode" });
}

export const directorySchema = lineSchema(4096)
  .regex(/^\//, { error: "must be an absolute path" })
  .describe("the project folder, as an absolute path");

/** A number in a query. Only digits are allowed, so `1e3` or ` 5` is refused. */
export function queryNumber(least: number, most: number) {
  const upTo = most === Number.MAX_SAFE_INTEGER ? "on" : `to ${most}`;
  const error = `must be a whole number from ${least} ${upTo}`;
  return z.preprocess(
    (value) => (typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value),
    z.int({ error }).min(least, { error }).max(most, { error }),
  );
}

export const queryFlag = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean({ error: "must be true or false" }),
);

/** A query parameter that may be given more than once. */
export function queryList<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (value) => (typeof value === "string" ? [value] : value),
    z.array(item).max(20),
  );
}

function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

/** Author of an action: a client (identified by the name of its token), a run, or a process. */
export const actorSchema = component("Actor", () =>
  z.object({ kind: z.enum(["client", "run", "node"]), id: z.string() }),
);
