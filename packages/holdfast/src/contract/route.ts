import type { z } from "zod";
import type { ErrorCode } from "./error.ts";
import { hashSchema, idSchema, queryNumber } from "./scalars.ts";
import type { Role } from "./token.ts";

/** One route as data: what is checked, what is documented and what the SDK's types come from. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With its parameters in braces; their schemas are those of `parameterSchemas`. */
  readonly path: string;
  readonly tag: Tag;
  /** The least role that may use it; null: no token is needed. */
  readonly role: Role | null;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodRawShape;
  readonly body?: RouteBody;
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Errors of its own; those that every route can have are not repeated. */
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
  /** JSON that is too large for memory: it is checked while it is read. The schema only describes it. */
  | { readonly kind: "document"; readonly schema: z.ZodType; readonly maxBytes: number }
  /** Any content type; what it is, is what the sender says. */
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
  tokenId: idSchema,
  workId: idSchema,
  actionId: idSchema,
  provider: idSchema,
  server: idSchema,
  seq: queryNumber(1, Number.MAX_SAFE_INTEGER),
  hash: hashSchema,
};

export type ParameterName = keyof typeof parameterSchemas;

/** The names in a path's braces. */
export type ParameterNames<Path extends string> =
  Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterNames<Rest> : never;

export function parameterNames(path: string): ParameterName[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    if (isParameter(name)) return name;
    throw new Error(`${path} has a parameter without a schema: ${name}`);
  });
}

/** Limits of bodies in bytes (P5); a prompt's text has a limit of its own besides. */
export const bodyLimits = {
  small: 64 * 1024,
  prompt: 16 * 1024 * 1024,
  document: 64 * 1024 * 1024,
} as const;

function isParameter(name: string): name is ParameterName {
  return Object.hasOwn(parameterSchemas, name);
}
