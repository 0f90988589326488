import { test } from "node:test";
import { shortSoak } from "./soak/short-soak.ts";

test("P1 P2 R1 R2 L3 processes are killed with -9 and all work continues by itself (postgres)", (t) =>
  shortSoak(t, "postgres"));
