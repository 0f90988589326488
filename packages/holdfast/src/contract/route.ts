import type { z } from "zod";
import type { ErrorCode } from "./error.ts";
import { hashSchema, idSchema, queryNumber } from "./scalars.ts";
import type { Role } from "./token.ts";

/** A route as data. Request checks, the OpenAPI document and the SDK types are made from it. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path with parameters in braces. `parameterSchemas` has their schemas. */
  readonly path: string;
  readonly tag: Tag;
  /** Lowest role that may use the route; null: no token is needed. */
  readonly role: Role | null;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodRawShape;
  readonly body?: RouteBody;
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Errors specific to this route. Errors that every route can return are not repeated. */
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
  /**
   * JSON that is too large for memory. It is checked while it is read; the schema only documents
   * it.
   */
  | { readonly kind: "document"; readonly schema: z.ZodType; readonly maxBytes: number }
  /** Any content type, as declared by the sender. */
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

/** Limits of request bodies in bytes (P5). The text of a prompt has another limit. */
export const bodyLimits = {
  small: 64 * 1024,
  prompt: 16 * 1024 * 1024,
  document: 64 * 1024 * 1024,
} as const;

function isParameter(name: string): name is ParameterName {
  return Object.hasOwn(parameterSchemas, name);
}
