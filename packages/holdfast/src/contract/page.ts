import { z } from "zod";
import { component } from "./component.ts";
import { queryNumber } from "./scalars.ts";

export const maxPageSize = 500;
export const defaultPageSize = 100;

/** Schema of a page of a list. Its `cursor` is the `after` parameter of the next page. */
export function pageSchema<Item extends z.ZodType>(id: string, item: Item) {
  return component(id, () => z.object(pageFields(item)));
}

export function pageFields<Item extends z.ZodType>(item: Item) {
  return {
    items: z.array(item),
    cursor: z.string().nullable().describe("`after` of the next page; null on the last page"),
  };
}

export const pageQuery = {
  after: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("`cursor` of the previous page; default: start with the first page"),
  limit: queryNumber(1, maxPageSize)
    .optional()
    .describe(`how many at most; ${defaultPageSize} if left out`),
};
