import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";

/** Checks every message between an editor and an agent against the JSON schema of the protocol. */
export interface SchemaCheck {
  /** A line that the editor has sent. */
  fromEditor(line: string): void;
  /** A line that the agent has sent. */
  fromAgent(line: string): void;
  readonly violations: readonly string[];
  /** Number of messages that were checked. */
  checked(): number;
}

interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

export function createSchemaCheck(): SchemaCheck {
  const violations: string[] = [];
  /** Requests without an answer, by sender and id. */
  const open = new Map<string, string>();
  let checked = 0;
  const expect = (definition: string | undefined, value: unknown, what: string): void => {
    checked += 1;
    const problem =
      definition === undefined ? "is not in the protocol" : problemOf(definition, value);
    if (problem !== null) violations.push(`${what} ${problem}: ${JSON.stringify(value)}`);
  };
  const take = (line: string, sender: "editor" | "agent"): void => {
    const { id, method, params, result, error }: Message = JSON.parse(line);
    const receiver = sender === "editor" ? "agent" : "editor";
    if (method !== undefined) {
      if (id !== undefined) open.set(`${sender} ${id}`, method);
      const side = method.startsWith("$/")
        ? "protocol"
        : receiver === "editor"
          ? "client"
          : "agent";
      // Methods with an underscore are extensions, which no schema describes.
      if (method.startsWith("_")) return;
      expect(definitions.get(`${side} ${method} params`), params, `${sender}: ${method}`);
      return;
    }
    const asked = open.get(`${receiver} ${id}`);
    open.delete(`${receiver} ${id}`);
    if (error !== undefined) expect("Error", error, `${sender}: error of ${asked}`);
    else if (asked?.startsWith("_") !== true) {
      const side = sender === "editor" ? "client" : "agent";
      expect(definitions.get(`${side} ${asked} result`), result, `${sender}: result of ${asked}`);
    }
  };
  return {
    fromEditor: (line) => take(line, "editor"),
    fromAgent: (line) => take(line, "agent"),
    violations,
    checked: () => checked,
  };
}

interface Schema {
  readonly $defs: Readonly<Record<string, { "x-method"?: string; "x-side"?: string }>>;
}

const file = new URL(import.meta.resolve("@agentclientprotocol/sdk/schema/v1/schema.json"));
const schema: Schema = JSON.parse(readFileSync(file, "utf8"));
const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
ajv.addSchema(schema, "acp");

/** Names of the definitions, by `side method part`. */
const definitions: ReadonlyMap<string, string> = new Map(
  Object.entries(schema.$defs).flatMap(([name, definition]) => {
    const { "x-method": method, "x-side": side } = definition;
    if (method === undefined) return [];
    const part = name.endsWith("Response") ? "result" : "params";
    return [[`${side} ${method} ${part}`, name] as const];
  }),
);

/** The reason why the value does not fit; null if it does. */
function problemOf(definition: string, value: unknown): string | null {
  const validate = ajv.getSchema(`acp#/$defs/${definition}`);
  if (validate === undefined) return `has no definition ${definition}`;
  return validate(value) === true ? null : ajv.errorsText(validate.errors);
}
