import { z } from "zod";
import { askSchema } from "./ask.ts";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { roleSchema } from "./token.ts";
import { noticeSchema } from "./workspace.ts";

/** All error codes with their HTTP status. Codes are stable: programs branch on the code, people read the message. */
export const errorStatus = {
  // The request is invalid.
  invalid: 400,
  badJson: 400,
  badCursor: 400,
  badConfig: 400,
  unauthorized: 401,
  forbidden: 403,
  badOrigin: 403,
  unknownRoute: 404,
  methodNotAllowed: 405,
  timeout: 408,
  tooLarge: 413,
  badContentType: 415,
  badHost: 421,
  rateLimited: 429,
  tooManyStreams: 429,
  quotaExceeded: 429,
  headersTooLarge: 431,
  // Unknown ids, or ids that this token must not see.
  unknownSession: 404,
  unknownPrompt: 404,
  unknownRun: 404,
  unknownAsk: 404,
  unknownHold: 404,
  unknownWork: 404,
  unknownEvent: 404,
  unknownChange: 404,
  unknownAttachment: 404,
  unknownWebhook: 404,
  unknownSubscription: 404,
  unknownToken: 404,
  unknownAction: 404,
  unknownProvider: 404,
  unknownServer: 404,
  notOffered: 404,
  deleted: 410,
  badLink: 410,
  // Requests that the current state does not allow.
  conflict: 409,
  tombstoned: 409,
  busy: 409,
  held: 409,
  idle: 409,
  runMismatch: 409,
  stopping: 409,
  takenIn: 409,
  notWaiting: 409,
  staleRevision: 409,
  askClosed: 409,
  fenced: 409,
  outOfOrder: 409,
  stepLimit: 409,
  cycle: 409,
  treeFull: 409,
  owned: 409,
  brokenWorkspace: 409,
  tooManyHolds: 409,
  queueFull: 429,
  // Failures of the server.
  internal: 500,
  notReady: 503,
  draining: 503,
  tooManyConnections: 503,
  storeUnavailable: 503,
  storeReadOnly: 503,
  storeFull: 507,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorStatus;

export const errorCodes = Object.keys(errorStatus).filter(isErrorCode);

export const errorCodeSchema = component("ErrorCode", () =>
  z.enum(errorCodes).describe("stable code of an error; programs branch on it"),
);

const limit = z.object({ limit: z.number() });
const notices = z.object({ notices: z.array(noticeSchema) });

/** Details of each error code that has details. All other codes have none. */
export const errorDetailsSchema = component("ErrorDetails", () =>
  z
    .object({
      invalid: z.object({
        field: z.string().optional(),
        issues: z
          .array(
            z.object({
              place: z.enum(["path", "query", "body"]),
              field: z.string(),
              message: z.string(),
            }),
          )
          .optional()
          .describe("at most 10 problems of the request"),
      }),
      badConfig: notices,
      brokenWorkspace: notices,
      forbidden: z.object({
        role: roleSchema.optional().describe("role of the token"),
        needed: roleSchema.optional().describe("lowest role that may do this"),
        directories: z
          .array(z.string())
          .optional()
          .describe("directories that the token is limited to"),
      }),
      tooLarge: limit,
      queueFull: limit,
      stepLimit: limit,
      treeFull: limit,
      tooManyHolds: limit,
      quotaExceeded: limit.extend({ quota: z.enum(["uploadBytes", "sessions", "logBytes"]) }),
      unknownAttachment: z.object({ hash: z.string() }),
      runMismatch: z.object({ activeRunId: z.string().nullable() }),
      takenIn: z.object({ runId: z.string().describe("run that the prompt has joined") }),
      staleRevision: z.object({
        revision: z.number().optional().describe("current revision of the prompt"),
        digest: z.string().nullable().optional().describe("current digest of the config"),
      }),
      askClosed: z.object({ ask: askSchema.describe("the ask with its first answer") }),
      owned: z.object({ owner: z.string() }),
    })
    .describe("details of each error code that has any"),
);
export type ErrorDetails = Wire<typeof errorDetailsSchema>;

export const errorSchema = component("ErrorBody", () =>
  z.object({
    error: z.object({
      code: errorCodeSchema,
      message: z.string().describe("for people: what happened and what to do"),
      requestId: z.string().describe("also in the header x-request-id and in the server's log"),
      details: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("data for the caller; ErrorDetails has the shape for each code"),
    }),
  }),
);

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorStatus, code);
}
