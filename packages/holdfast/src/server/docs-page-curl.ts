import { referenceName } from "../contract/json-schema.ts";
import type { JsonSchema } from "../contract/json-schema.ts";
import type { OpenApi, Operation } from "./openapi.ts";

/** Returns a curl command that calls the operation, with example values. */
export function curlExample(
  document: OpenApi,
  entry: { method: string; path: string; operation: Operation },
): string {
  const { method, operation } = entry;
  const path = entry.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathValues[name] ?? name);
  const content = operation.requestBody?.content ?? {};
  const json = content["application/json"];
  const isStream = Object.values(operation.responses).some(
    ({ content: types }) => types?.["text/event-stream"] !== undefined,
  );
  const lines = [
    `curl ${isStream ? "-sN" : "-s"}${method === "GET" ? "" : ` -X ${method}`} $HOLDFAST${path}`,
    ...(operation["x-role"] === null ? [] : [`-H "authorization: Bearer $TOKEN"`]),
    ...(json === undefined
      ? []
      : [
          `-H 'content-type: application/json'`,
          `-d '${bodyText(document, operation, json.schema)}'`,
        ]),
    ...(content["*/*"] === undefined
      ? []
      : [`-H 'content-type: image/png'`, "--data-binary @screenshot.png"]),
  ];
  return lines.join(" \\\n  ");
}

const pathValues: Readonly<Record<string, string>> = {
  sessionId: "demo",
  promptId: "first",
  holdId: "lunch",
  runId: "run-1",
  askId: "ask-1",
  webhookId: "ci",
  tokenId: "3f9c2a71b0de",
  workId: "undo-1",
  seq: "42",
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
};

const fieldValues: Readonly<Record<string, unknown>> = {
  sessionId: "demo",
  promptId: "second",
  cancelId: "stop-1",
  directory: "/srv/project",
  text: "Why does the build fail?",
  title: "Failing build",
  reason: "out for lunch",
  url: "https://example.org/hook",
  events: ["prompt.settled"],
  name: "ci",
  revision: 1,
  before: null,
};

/** Operations whose request body is too large for a command line, with the file to read it from. */
const files: Readonly<Record<string, string>> = { importSession: "@session.json" };

function bodyText(document: OpenApi, operation: Operation, schema: JsonSchema): string {
  const file = files[operation.operationId];
  return file ?? JSON.stringify(exampleOf(document, schema));
}

/** Builds an example with the required fields and some common optional ones. */
function exampleOf(document: OpenApi, schema: JsonSchema): unknown {
  const { $ref, properties } = schema;
  if ($ref !== undefined) {
    return exampleOf(document, document.components.schemas[referenceName($ref)] ?? {});
  }
  if (schema.enum !== undefined) return schema.enum[0];
  if (properties === undefined) return "…";
  const shown = Object.entries(properties).filter(
    ([name]) => schema.required?.includes(name) === true || usual.has(name),
  );
  return Object.fromEntries(
    shown.map(([name, field]) => [name, fieldValues[name] ?? exampleOf(document, field)]),
  );
}

const usual: ReadonlySet<string> = new Set(["promptId", "cancelId", "title", "reason"]);
