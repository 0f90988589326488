import { test } from "node:test";
import { shortTrees } from "./soak/short-trees.ts";

test("C7 over sqlite cancelled trees of sessions stay cancelled while servers are killed", (t) =>
  shortTrees(t, "sqlite"));
