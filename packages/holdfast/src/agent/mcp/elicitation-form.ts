import { z } from "zod";
import type { FieldValue } from "./caller.ts";
import { brief } from "./wire.ts";

/** A form field. MCP allows only flat forms with simple values. */
export interface FormField {
  readonly name: string;
  readonly type: "string" | "number" | "integer" | "boolean" | "array";
  readonly title: string;
  readonly required: boolean;
  /** The allowed values. Null: any value. */
  readonly options: readonly string[] | null;
  readonly fallback: FieldValue | null;
  readonly min: number | null;
  readonly max: number | null;
}

const maxFields = 30;
const maxChoices = 10;

const names = z.array(z.string()).max(200);
const titled = z.array(z.object({ const: z.string() })).max(200);
const valueSchema = z.union([z.string(), z.number(), z.boolean(), names]);
const fieldSchema = z.object({
  type: z.enum(["string", "number", "integer", "boolean", "array"]).catch("string"),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  enum: names.optional().catch(undefined),
  oneOf: titled.optional().catch(undefined),
  items: z
    .object({
      enum: names.optional().catch(undefined),
      anyOf: titled.optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  default: valueSchema.optional().catch(undefined),
  minimum: z.number().optional().catch(undefined),
  maximum: z.number().optional().catch(undefined),
  minLength: z.number().optional().catch(undefined),
  maxLength: z.number().optional().catch(undefined),
  minItems: z.number().optional().catch(undefined),
  maxItems: z.number().optional().catch(undefined),
});

export function fieldsOf(schema: Readonly<Record<string, unknown>>): readonly FormField[] {
  const required = names.catch([]).parse(schema["required"]);
  const properties = z.record(z.string(), z.unknown()).catch({}).parse(schema["properties"]);
  return Object.entries(properties)
    .slice(0, maxFields)
    .map(([name, property]) => {
      const field = fieldSchema.catch({ type: "string" }).parse(property);
      const { type, title = name, description } = field;
      const listed = field.enum ?? field.oneOf?.map((option) => option.const);
      const ofItems = field.items?.enum ?? field.items?.anyOf?.map((option) => option.const);
      return {
        name,
        type,
        title: brief(description === undefined ? title : `${title}: ${description}`, 300),
        required: required.includes(name),
        options: (type === "array" ? ofItems : listed) ?? null,
        fallback: field.default ?? null,
        min: field.minimum ?? field.minLength ?? field.minItems ?? null,
        max: field.maximum ?? field.maxLength ?? field.maxItems ?? null,
      };
    });
}

/** Returns lines that list the fields and explain to a person how to answer. */
export function describeFields(fields: readonly FormField[]): readonly string[] {
  const lines = fields.map(({ name, title, type, required, options, fallback }) => {
    const notes = [
      options === null ? type : options.map((option) => brief(option, 100)).join(" | "),
      ...(required ? ["required"] : []),
      ...(fallback === null ? [] : [`default ${brief(String(fallback), 100)}`]),
    ];
    return `- ${brief(name, 100)} (${notes.join(", ")}): ${title}`;
  });
  const how =
    fields.length === 1
      ? 'Answer with the value, or "decline".'
      : 'Answer with one line "name: value" for each field, or a JSON object, or "decline". Answer "ok" to use the defaults.';
  return [...lines, how];
}

export function formChoices(fields: readonly FormField[]): readonly string[] {
  const [first] = fields;
  if (first !== undefined && fields.length === 1 && first.type !== "array") {
    const options = first.type === "boolean" ? ["yes", "no"] : (first.options ?? []);
    return [...options.slice(0, maxChoices - 1), "decline"];
  }
  return fields.some(isMissingByDefault) ? ["decline"] : ["ok", "decline"];
}

function isMissingByDefault({ required, fallback }: FormField): boolean {
  return required && fallback === null;
}

export type ReadForm =
  | { readonly problem: null; readonly content: Readonly<Record<string, FieldValue>> }
  | { readonly problem: string };

/** Parses a person's answer. Fields that the answer leaves out get their default value. */
export function readForm(fields: readonly FormField[], text: string): ReadForm {
  const given = givenValues(fields, text.trim());
  if (given === null) return { problem: "write one line with a name and a value for each field" };
  const unknown = Object.keys(given).find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined) return { problem: `there is no field ${unknown}` };
  const content: Record<string, FieldValue> = {};
  for (const field of fields) {
    const { name, fallback } = field;
    const raw = Object.hasOwn(given, name) ? given[name] : undefined;
    if (raw === undefined || raw === "") {
      if (isMissingByDefault(field)) return { problem: `${name} is required` };
      if (fallback !== null) content[name] = fallback;
      continue;
    }
    const value = valueOf(field, raw);
    if (value === null) return { problem: `${name} must be ${kindOf(field)}` };
    content[name] = value;
  }
  return { problem: null, content };
}

function givenValues(
  fields: readonly FormField[],
  text: string,
): Readonly<Record<string, unknown>> | null {
  if (text === "" || /^(ok|accept|defaults)$/i.test(text)) return {};
  const object = jsonObject(text);
  if (object !== null) return object;
  const [first] = fields;
  if (first !== undefined && fields.length === 1) return { [first.name]: text };
  const pairs = text.split("\n").map((line) => /^\s*([^:=]+?)\s*[:=]\s*(.*)$/.exec(line));
  if (pairs.some((pair) => pair === null)) return null;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", pair?.[2]?.trim() ?? ""]));
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | null {
  if (!text.startsWith("{")) return null;
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Converts an input to a value of the field; null if it does not fit. The server checks patterns and formats. */
function valueOf(field: FormField, raw: unknown): FieldValue | null {
  const { type, options } = field;
  switch (type) {
    case "boolean":
      return booleanOf(raw);
    case "number":
    case "integer": {
      const value = typeof raw === "string" && raw.trim() !== "" ? Number(raw) : raw;
      if (typeof value !== "number" || !Number.isFinite(value)) return null;
      return (type === "integer" && !Number.isInteger(value)) || !isWithin(field, value)
        ? null
        : value;
    }
    case "array": {
      const list = typeof raw === "string" ? raw.split(",").map((item) => item.trim()) : raw;
      const value = names.safeParse(list).data ?? null;
      const isKnown = options === null || value?.every((item) => options.includes(item)) === true;
      return value !== null && isKnown && isWithin(field, value.length) ? value : null;
    }
    case "string": {
      const isKnown = options === null || (typeof raw === "string" && options.includes(raw));
      return typeof raw === "string" && isKnown && isWithin(field, raw.length) ? raw : null;
    }
  }
}

function booleanOf(raw: unknown): boolean | null {
  if (typeof raw === "boolean") return raw;
  if (/^(true|yes|y)$/i.test(String(raw))) return true;
  return /^(false|no|n)$/i.test(String(raw)) ? false : null;
}

function isWithin({ min, max }: FormField, value: number): boolean {
  return (min === null || value >= min) && (max === null || value <= max);
}

function kindOf({ type, options, min, max }: FormField): string {
  if (options !== null) return `one of ${options.join(", ")}`;
  const unit = type === "string" ? " characters" : "";
  const low = min === null ? "" : `, at least ${min}${unit}`;
  const high = max === null ? "" : `, at most ${max}${unit}`;
  return `a value of type ${type}${low}${high}`;
}
