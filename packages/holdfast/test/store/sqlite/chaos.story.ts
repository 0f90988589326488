import { test } from "node:test";
import { killOwner } from "./kill-owner.ts";

test("P1 P2 R1 an owner that is killed repeatedly loses no prompt and settles each once", (t) =>
  killOwner(t, { kills: 12, prompts: 40 }));
