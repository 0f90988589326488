import { errorStatus } from "../contract/error.ts";
import type { ErrorCode } from "../contract/error.ts";
import { componentSchemas, fieldSchemas, schemaOf } from "../contract/json-schema.ts";
import type { JsonSchema } from "../contract/json-schema.ts";
import { parameterNames, parameterSchemas } from "../contract/route.ts";
import type { Route, RouteAnswer, Tag } from "../contract/route.ts";
import { routeEntries } from "../contract/routes.ts";

/** The subset of OpenAPI 3.1 that this server uses. */
export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: Tag; readonly description: string }[];
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly Tag[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
  readonly responses: Readonly<Record<string, OperationResponse>>;
  /** Lowest role that a token must have; null: no token is needed. */
  readonly "x-role": Route["role"];
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface OperationResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

/** Builds the OpenAPI document from the route table and its schemas. */
export function openapiDocument(version: string): OpenApi {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, route] of routeEntries()) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationOf(name, route),
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Holdfast", version, description, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/", description: "The server that sent this document." }],
    tags,
    security: [{ token: [] }],
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

const description =
  "A runtime for coding-agent sessions that never loses a prompt. Times are milliseconds since 1970. " +
  "Every error has the same shape, with a stable code; every response has the header x-request-id.";

const tags: OpenApi["tags"] = [
  { name: "sessions", description: "Durable conversations, each in one directory." },
  {
    name: "prompts",
    description:
      "Inputs to a session. An accepted prompt is stored durably and gets exactly one outcome.",
  },
  {
    name: "cancel",
    description:
      "A cancel covers exactly the prompts that were accepted before it, and returns a receipt.",
  },
  {
    name: "runs",
    description:
      "Executions of prompts, one at a time in each session, and the holds that pause them.",
  },
  { name: "asks", description: "Permission requests and questions that wait for a person." },
  {
    name: "events",
    description:
      "The events of a session's log as they are committed, and the answer that is being written.",
  },
  {
    name: "attachments",
    description: "Files sent with prompts: uploaded once, then named by their hash.",
  },
  { name: "workspaces", description: "The models, tools and config that runs in a directory use." },
  {
    name: "maintenance",
    description: "Refreshes and closes. They take effect for the next run and interrupt none.",
  },
  { name: "providers", description: "Services that offer models." },
  { name: "mcp", description: "MCP servers of a directory: their tools, prompts and resources." },
  { name: "config", description: "Config files of the user and of directories." },
  {
    name: "webhooks",
    description: "Notifications about settled prompts and asks, sent to a URL of yours.",
  },
  {
    name: "notifications",
    description:
      "Push messages to devices, quiet hours, muted sessions, and what a person has seen.",
  },
  { name: "access", description: "Tokens and the identity of the caller." },
  { name: "server", description: "The server process." },
];

/** Lists errors that follow from a route's method, role and type of body. The route table does not name them. */
function commonErrors(route: Route): ErrorCode[] {
  return [
    "invalid",
    ...(route.body?.kind === "json" ? (["badJson"] as const) : []),
    ...(route.body === undefined ? [] : (["badContentType", "tooLarge"] as const)),
    ...(route.role === null ? [] : (["unauthorized", "forbidden"] as const)),
    "badOrigin",
    "badHost",
    "rateLimited",
    "internal",
    "notReady",
    "storeUnavailable",
    ...(route.method === "GET" ? [] : (["draining", "storeReadOnly", "storeFull"] as const)),
  ];
}

function operationOf(name: string, route: Route): Operation {
  const { role, body } = route;
  return {
    operationId: name,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(role === null ? { security: [] } : {}),
    "x-role": role,
    parameters: parametersOf(route),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.kind !== "json" || body.optional !== true,
            content:
              body.kind === "bytes"
                ? { "*/*": { schema: { description: "the unencoded content" } } }
                : { "application/json": { schema: schemaOf(body.schema) } },
          },
        }),
    responses: responsesOf(route),
  };
}

function parametersOf(route: Route): Parameter[] {
  const path = parameterNames(route.path).map((name): Parameter => {
    const schema = schemaOf(parameterSchemas[name]);
    return { name, in: "path", required: true, schema };
  });
  const { properties, required } = fieldSchemas(route.query ?? {});
  const query = Object.entries(properties).map(([name, schema]): Parameter => {
    const { description: text, ...plain } = schema;
    const described = text === undefined ? {} : { description: text };
    return { name, in: "query", required: required.includes(name), ...described, schema: plain };
  });
  return [...path, ...query];
}

function responsesOf(route: Route): Record<string, OperationResponse> {
  const answers = Object.entries(route.answers).map(
    ([status, answer]) => [status, responseOf(answer)] as const,
  );
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...(route.errors ?? []), ...commonErrors(route)])) {
    const status = errorStatus[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const errors = [...byStatus]
    .toSorted(([left], [right]) => left - right)
    .map(([status, codes]) => {
      const names = codes.map((code) => `\`${code}\``).join(", ");
      const content = {
        "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" } },
      };
      return [`${status}`, { description: names, content }] as const;
    });
  return Object.fromEntries([...answers, ...errors]);
}

function responseOf(answer: RouteAnswer): OperationResponse {
  const { description: text } = answer;
  if (answer.kind === "none") return { description: text };
  const [type, schema] =
    answer.kind === "json"
      ? (["application/json", schemaOf(answer.schema)] as const)
      : ([answer.contentType, {}] as const);
  return { description: text, content: { [type]: { schema } } };
}
