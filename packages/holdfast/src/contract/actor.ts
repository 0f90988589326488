import { z } from "zod";
import { component } from "./component.ts";

/** The author of an action: a client by its token name, a run, or a process. */
export const actorSchema = component(
  "Actor",
  z.object({ kind: z.enum(["client", "run", "node"]), id: z.string() }),
);
