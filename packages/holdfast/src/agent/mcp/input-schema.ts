/** JSON schema goes to a provider, which refuses the whole request if one tool's is not one. */
export function toInputSchema(
  given: unknown,
  max: number,
): {
  readonly schema: Readonly<Record<string, unknown>>;
  /** Why the model is told nothing of the input; null when it is told. */
  readonly problem: string | null;
} {
  if (!isRecord(given)) return unknownInput("is not described");
  if (given["type"] !== "object" && given["type"] !== undefined) {
    return unknownInput("is described as something other than an object");
  }
  if (!isShallow(given, maxDepth)) return unknownInput("is described with too many levels");
  if (!isSchema(given)) return unknownInput("is not described as a JSON schema");
  if (JSON.stringify(given).length > max) return unknownInput("has too long a description");
  const { $schema: _, ...rest } = given;
  return {
    schema: { ...rest, type: "object", properties: given["properties"] ?? {} },
    problem: null,
  };
}

const maxDepth = 32;

const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

function unknownInput(problem: string): ReturnType<typeof toInputSchema> {
  return { schema: { type: "object", properties: {}, additionalProperties: true }, problem };
}

/** The parts that providers look at are what they should be; the rest is between them and the server. */
function isSchema(value: unknown): boolean {
  if (typeof value === "boolean") return true;
  if (!isRecord(value)) return false;
  const { type, properties, required, items, additionalProperties, enum: choices } = value;
  return (
    isType(type) &&
    (properties === undefined ||
      (isRecord(properties) && Object.values(properties).every(isSchema))) &&
    (required === undefined || isTexts(required)) &&
    (items === undefined || (Array.isArray(items) ? items.every(isSchema) : isSchema(items))) &&
    (additionalProperties === undefined || isSchema(additionalProperties)) &&
    (choices === undefined || Array.isArray(choices)) &&
    ["anyOf", "oneOf", "allOf"].every((key) => {
      const variants = value[key];
      return variants === undefined || (Array.isArray(variants) && variants.every(isSchema));
    })
  );
}

function isType(type: unknown): boolean {
  if (type === undefined) return true;
  if (Array.isArray(type)) return type.every((one) => typeof one === "string" && types.has(one));
  return typeof type === "string" && types.has(type);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((part) => isShallow(part, depth - 1));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
