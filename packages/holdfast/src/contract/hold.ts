import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { reasonSchema } from "./outcome.ts";
import { idSchema, lineSchema, timeSchema } from "./scalars.ts";

/** A reason why a session is paused. A session with a hold starts no new runs (L4). */
export const holdSchema = component("Hold", () =>
  z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("person"), holdId: z.string(), reason: z.string() }),
    z.object({
      kind: z.literal("failure"),
      holdId: z.string(),
      reason: reasonSchema,
      retryAt: timeSchema.nullable(),
    }),
    z.object({ kind: z.literal("recovery"), holdId: z.string(), runId: z.string() }),
  ]),
);
export type Hold = Wire<typeof holdSchema>;

export const holdListSchema = component("HoldList", () => z.object({ items: z.array(holdSchema) }));

export const holdBody = component("HoldInput", () =>
  z.strictObject({
    holdId: idSchema.optional(),
    reason: lineSchema(1000).optional().describe("shown to everyone who can see the session"),
  }),
);
