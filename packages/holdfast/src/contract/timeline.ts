import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { eventSchema } from "./event.ts";
import { queryNumber } from "./scalars.ts";
import { sessionDetailSchema } from "./session.ts";

export const defaultLatest = 24;

export const timelineQuery = {
  latest: queryNumber(0, 400)
    .optional()
    .describe(
      `number of most recently active sessions; ${defaultLatest} if left out. Sessions with unfinished work are always included`,
    ),
};

export const serverTimelineSchema = component("ServerTimeline", () =>
  z.object({
    items: z
      .array(
        component("SessionEvents", () =>
          z.object({
            session: sessionDetailSchema,
            events: z
              .array(eventSchema)
              .describe(
                "latest events in order of seq; content is null except for accepted prompts, whose text is cut after 200 characters",
              ),
          }),
        ),
      )
      .describe("sessions, most recently active first; at most 400 sessions with unfinished work"),
    hasMore: z.boolean().describe("true: less recently active sessions are left out"),
  }),
);
export type ServerTimeline = Wire<typeof serverTimelineSchema>;
