import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { ensureWeb } from "../../../scripts/build-web/ensure-web.ts";

const root = join(import.meta.dirname, "../../..");
const built = join(root, "packages/web/dist");
const mostBytes = 150_000;

test("the page loads at most 150 kB (compressed) before the first view", async () => {
  await ensureWeb(`${root}/`);
  const page = readFileSync(join(built, "index.html"), "utf8");
  const files = [...page.matchAll(/(?:src|href)="(?<path>\/[^"]+\.(?:js|css))"/g)].map(
    ({ groups }) => groups?.["path"] ?? "",
  );
  assert.ok(
    files.some((file) => file.endsWith(".js")) && files.some((file) => file.endsWith(".css")),
  );
  const sizes = files.map((file) => gzipSync(readFileSync(join(built, file))).length);
  const all = sizes.reduce((sum, size) => sum + size, gzipSync(page).length);
  assert.ok(all <= mostBytes, `${files.join(", ")}: ${all} bytes`);
});
