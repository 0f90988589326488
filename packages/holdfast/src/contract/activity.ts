import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { outcomeSchema } from "./outcome.ts";
import { queryNumber, timeSchema, wholeSchema } from "./scalars.ts";

const hour = 3_600_000;
export const defaultReach = hour / 4;
export const defaultSlices = 60;

export const activityQuery = {
  reach: queryNumber(60_000, 24 * hour)
    .optional()
    .describe("length of the time range until now, in milliseconds; 15 minutes if left out"),
  slices: queryNumber(1, 240)
    .optional()
    .describe(`number of equal parts of the time range; ${defaultSlices} if left out`),
};

const settledSchema = component("SettledCounts", () =>
  z.object({ completed: wholeSchema, failed: wholeSchema, cancelled: wholeSchema }),
);

const spreadSchema = component("WaitingTimes", () =>
  z
    .object({
      median: z.number().nullable(),
      high: z.number().nullable().describe("95th percentile"),
    })
    .describe("milliseconds from accept until a run used the prompt; null: no prompt"),
);

const sliceSchema = component("ActivitySlice", () =>
  z.object({
    from: z.number().describe("start of the slice, in milliseconds since 1970"),
    waiting: wholeSchema.describe("highest number of prompts that waited at the same time"),
    running: wholeSchema.describe("highest number of runs that were active at the same time"),
    settled: settledSchema,
    inQueue: spreadSchema,
    inputTokens: z.number(),
    outputTokens: z.number(),
    cost: z.number().describe("US dollars"),
  }),
);

const currentSchema = component("CurrentCounts", () =>
  z
    .object({
      running: wholeSchema.describe("sessions with an active run"),
      waiting: wholeSchema.describe("prompts that wait"),
      asks: wholeSchema.describe("unanswered requests to people"),
      paused: wholeSchema.describe("sessions that are paused, or whose run was cut off"),
    })
    .describe("the current moment; at most 1,000 sessions are counted"),
);

export const activitySchema = component("Activity", () =>
  z.object({
    from: z.number().describe("start of the time range, in milliseconds since 1970"),
    to: z.number().describe("end of the current slice, in milliseconds since 1970"),
    current: currentSchema,
    slices: z.array(sliceSchema),
    inQueue: spreadSchema,
    settled: settledSchema,
    failures: z
      .array(
        component("FailedPrompt", () =>
          z.object({
            sessionId: z.string(),
            promptId: z.string(),
            text: z.string().nullable().describe("start of the prompt's text"),
            at: timeSchema,
            outcome: outcomeSchema,
          }),
        ),
      )
      .describe("latest failed prompts, latest first, at most 20"),
    isComplete: z
      .boolean()
      .describe("false: the server is still reading the log, so ask again in a moment"),
  }),
);
export type Activity = Wire<typeof activitySchema>;
