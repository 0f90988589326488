import type { z } from "zod";
import type { ErrorCode } from "./error.ts";
import { hashSchema, idSchema, queryNumber } from "./scalars.ts";
import type { Role } from "./token.ts";

/** Definition of a route. Request validation, the OpenAPI document and the SDK types are derived from it. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path with parameters in braces, whose schemas are in `parameterSchemas`. */
  readonly path: string;
  readonly tag: Tag;
  /** Lowest role that may use the route. Null: no token is needed. */
  readonly role: Role | null;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodRawShape;
  readonly body?: RouteBody;
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Errors specific to this route. Errors that every route can return are not listed here. */
  readonly errors?: readonly ErrorCode[];
}

export type Tag =
  | "sessions"
  | "prompts"
  | "cancel"
  | "runs"
  | "asks"
  | "events"
  | "attachments"
  | "workspaces"
  | "maintenance"
  | "providers"
  | "mcp"
  | "config"
  | "webhooks"
  | "notifications"
  | "access"
  | "server";

export type RouteBody =
  | {
      readonly kind: "json";
      readonly schema: z.ZodType;
      readonly maxBytes: number;
      /** A request without a body counts as `{}`. */
      readonly optional?: true;
    }
  /** JSON that may be too large for memory. It is validated while it is read; the schema is only documentation. */
  | { readonly kind: "document"; readonly schema: z.ZodType; readonly maxBytes: number }
  /** A body of any content type, which the sender declares. */
  | { readonly kind: "bytes"; readonly maxBytes: number };

export type RouteAnswer =
  | { readonly kind: "json"; readonly schema: z.ZodType; readonly description: string }
  | { readonly kind: "raw"; readonly contentType: string; readonly description: string }
  | { readonly kind: "none"; readonly description: string };

export const parameterSchemas = {
  sessionId: idSchema,
  promptId: idSchema,
  holdId: idSchema,
  runId: idSchema,
  askId: idSchema,
  webhookId: idSchema,
  subscriptionId: idSchema,
  tokenId: idSchema,
  workId: idSchema,
  actionId: idSchema,
  provider: idSchema,
  server: idSchema,
  seq: queryNumber(1, Number.MAX_SAFE_INTEGER),
  hash: hashSchema,
};

export type ParameterName = keyof typeof parameterSchemas;

/** The parameter names in a path. */
export type ParameterNames<Path extends string> =
  Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterNames<Rest> : never;

export function parameterNames(path: string): ParameterName[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    if (isParameter(name)) return name;
    throw new Error(`${path} has a parameter without a schema: ${name}`);
  });
}

/** Limits of request bodies in bytes (P5). The text of a prompt has a limit of its own. */
export const bodyLimits = {
  small: 64 * 1024,
  prompt: 16 * 1024 * 1024,
  document: 64 * 1024 * 1024,
} as const;

function isParameter(name: string): name is ParameterName {
  return Object.hasOwn(parameterSchemas, name);
}
