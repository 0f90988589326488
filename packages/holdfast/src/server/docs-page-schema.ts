import { referenceName } from "../contract/json-schema.ts";
import type { JsonSchema } from "../contract/json-schema.ts";

// Renders JSON Schemas as HTML: types as words and links, objects as tables.

/** Describes a type in a few words, with a link if the type has a name. */
export function typeHtml(schema: JsonSchema): string {
  const { $ref, enum: values, type, items } = schema;
  if ($ref !== undefined) {
    const name = referenceName($ref);
    return `<a class="type" href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return literal(schema.const);
  if (values !== undefined) return values.map(literal).join(or);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(typeHtml).join(or);
  if (items !== undefined) return `list of ${typeHtml(items)}`;
  if (type === undefined) return `<span class="type">anything</span>`;
  const words = typeof type === "string" ? [type] : type;
  return words.map((word) => `<span class="type">${word}</span>`).join(or) + boundsOf(schema);
}

/** Renders a complete schema: the fields of an object, the cases of a union, or only the type. */
export function schemaHtml(schema: JsonSchema): string {
  const intro = schema.description === undefined ? "" : `<p>${inlineCode(schema.description)}</p>`;
  const cases = schema.oneOf ?? schema.anyOf;
  if (cases !== undefined && cases.some(({ properties }) => properties !== undefined)) {
    return intro + cases.map((choice) => caseHtml(choice)).join("");
  }
  return intro + (schema.properties === undefined ? `<p>${typeHtml(schema)}</p>` : fields(schema));
}

/** Escapes text and renders the parts between backticks as code. */
export function inlineCode(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const or = ` <span class="muted">or</span> `;

function literal(value: string | number | boolean): string {
  return `<code>${escapeHtml(JSON.stringify(value))}</code>`;
}

function boundsOf({ minimum, maximum, maxLength }: JsonSchema): string {
  if (maximum !== undefined) return ` <span class="muted">${minimum ?? 0} to ${maximum}</span>`;
  if (maxLength !== undefined) return ` <span class="muted">up to ${maxLength} characters</span>`;
  return "";
}

function caseHtml(schema: JsonSchema): string {
  const [name] = Object.entries(schema.properties ?? {}).flatMap(([, field]) => field.const ?? []);
  if (schema.properties === undefined) return `<p>${typeHtml(schema)}</p>`;
  const title = name === undefined ? "one case" : literal(name);
  return `<details><summary>${title}</summary>${fields(schema)}</details>`;
}

function fields({ properties = {}, required = [] }: JsonSchema): string {
  const rows = Object.entries(properties).map(([name, field]) => {
    const optional = required.includes(name) ? "" : ` <span class="muted">optional</span>`;
    const cases = nestedCases(field);
    const type = cases.length === 0 ? typeHtml(field) : nestedType(field);
    const text = inlineCode(field.description ?? "") + nestedHtml(cases);
    return `<tr><td><code>${escapeHtml(name)}</code></td><td>${type}${optional}</td><td>${text}</td></tr>`;
  });
  return `<table>${rows.join("")}</table>`;
}

/**
 * Returns the unnamed object types that a field can have. If the field is a list: the types that its items can have.
 */
function nestedCases(schema: JsonSchema): readonly JsonSchema[] {
  return casesOf(schema.items ?? schema).filter(({ properties }) => properties !== undefined);
}

function casesOf(schema: JsonSchema): readonly JsonSchema[] {
  return (schema.anyOf ?? schema.oneOf)?.flatMap(casesOf) ?? [schema];
}

function nestedType(schema: JsonSchema): string {
  const isNullable = casesOf(schema).some(({ type }) => type === "null");
  const word = `<span class="type">${schema.items === undefined ? "object" : "list of objects"}</span>`;
  return isNullable ? `${word}${or}<span class="type">null</span>` : word;
}

function nestedHtml(cases: readonly JsonSchema[]): string {
  const [only] = cases;
  return cases.length === 1 && only !== undefined ? fields(only) : cases.map(caseHtml).join("");
}
