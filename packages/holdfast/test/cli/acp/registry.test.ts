import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { programVersion } from "../../../src/base/package.ts";
import { introduction } from "../../../src/cli/acp/introduction.ts";

// The format of https://github.com/agentclientprotocol/registry: one folder per agent, with `agent.json` and an icon.

const folder = join(import.meta.dirname, "../../../../../registry/holdfast");

const distributed = z.strictObject({
  package: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
});

const agentSchema = z.object({
  id: z.string().regex(/^[a-z][a-z0-9-]*$/),
  name: z.string().min(1),
  version: z.string().regex(/^\d+\.\d+\.\d+/),
  description: z.string().min(1),
  repository: z.url().optional(),
  authors: z.array(z.string()).optional(),
  license: z.string().optional(),
  icon: z.string().optional(),
  distribution: z.strictObject({ npx: distributed }),
});

test("the entry for the ACP registry has its format, and names this version", () => {
  const agent = agentSchema.parse(JSON.parse(readFileSync(join(folder, "agent.json"), "utf8")));
  assert.equal(agent.id, "holdfast");
  assert.equal(agent.version, programVersion());
  const { npx } = agent.distribution;
  assert.deepEqual([npx.package, npx.args], [`holdfast@${agent.version}`, ["acp"]]);
  assert.equal(agent.icon, "./icon.svg");
});

test("the first answer names a sign-in method, which the registry requires", () => {
  const method = z.object({ id: z.string().min(1), name: z.string().min(1) });
  z.object({ authMethods: z.array(method).min(1) }).parse(introduction());
});

test("the icon is a square of 16 pixels that takes the color of its surroundings", () => {
  const icon = readFileSync(join(folder, "icon.svg"), "utf8");
  assert.match(icon, /<svg[^>]* width="16" height="16" viewBox="0 0 16 16"/);
  const colors = [...icon.matchAll(/\b(?:fill|stroke)="([^"]*)"/g)].map(([, color]) => color);
  assert.deepEqual(new Set(colors), new Set(["currentColor", "none"]));
  assert.doesNotMatch(icon, /style=|<script/);
});
