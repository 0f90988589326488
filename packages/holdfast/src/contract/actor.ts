import { z } from "zod";
import { component } from "./component.ts";

/** Who did it: a client by its token's name, a run, or a process. */
export const actorSchema = component(
  "Actor",
  z.object({ kind: z.enum(["client", "run", "node"]), id: z.string() }),
);
