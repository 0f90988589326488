import { z } from "zod";
import type { ToolDefinition } from "../model/model.ts";
import type { Tool } from "../tools/tool.ts";

/** Tools as a model is told of them, in a stable order so that providers can cache them. */
export function toolDefinitions(tools: readonly Tool[]): readonly ToolDefinition[] {
  const known = definitions.get(tools);
  if (known !== undefined) return known;
  const made = tools
    .map(({ name, description, input, schema }) => ({
      name,
      description,
      schema: schema ?? z.toJSONSchema(input),
    }))
    .toSorted((left, right) => left.name.localeCompare(right.name));
  definitions.set(tools, made);
  return made;
}

/** Schemas are the same for as long as the tools are. */
const definitions = new WeakMap<readonly Tool[], readonly ToolDefinition[]>();
