import { z } from "zod";

/** Registry of the schemas that have a name in the OpenAPI document and in the SDK types. */
export const components = z.registry<{ id: string }>();

/**
 * Names a schema. The schema is built when it is first used: most of them only document responses, and building all of
 * them would take a tenth of the time to start a server.
 */
export function component<Schema extends z.ZodType>(
  id: string,
  build: () => Schema,
): z.ZodLazy<Schema> {
  const schema = z.lazy(build);
  components.add(schema, { id });
  return schema;
}

/** TypeScript type of the values of a schema, deeply read-only. */
export type Wire<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
