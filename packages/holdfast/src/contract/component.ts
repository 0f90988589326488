import { z } from "zod";

/** Schemas that have a name in the OpenAPI document and in the SDK types. */
export const components = z.registry<{ id: string }>();

export function component<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  components.add(schema, { id });
  return schema;
}

/** The values that a schema describes, as read-only types. */
export type Wire<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
