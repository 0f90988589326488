import type { KeyPath } from "./source.ts";

/** What stands under a path; undefined when nothing does. */
export function valueAt(value: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (part, key) =>
      typeof part === "object" && part !== null && Object.hasOwn(part, key)
        ? Reflect.get(part, key)
        : undefined,
    value,
  );
}

/** Names come from files: one such as `constructor` must not find what every object has. */
export function entryOf<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
