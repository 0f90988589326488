import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { webFiles } from "../../../src/server/web-files.ts";

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-web-files-"));
  await mkdir(join(folder, "built/assets"), { recursive: true });
  await writeFile(join(folder, "secret.js"), "secret");
  await writeFile(join(folder, "built/index.html"), "<!doctype html>first");
  await writeFile(join(folder, "built/look.js"), "look()");
  await writeFile(join(folder, "built/.built-from"), "digest");
  await writeFile(join(folder, "built/assets/index-a1b2.js"), "page()".repeat(100));
});

after(() => rm(folder, { recursive: true }));

const ask = (path: string, headers: Record<string, string> = {}): Request =>
  new Request(`http://localhost${path}`, { headers });

test("the page allows no inline or external resources, and is not cached", async () => {
  const page = await webFiles(join(folder, "built")).page();
  assert.equal(await page?.text(), "<!doctype html>first");
  assert.deepEqual(Object.fromEntries(page?.headers ?? []), {
    "cache-control": "no-cache",
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
      "font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "content-type": "text/html; charset=utf-8",
  });
});

test("files with a hash in their name are cached forever, and sent compressed if the client accepts it", async () => {
  const files = webFiles(join(folder, "built"));
  const packed = await files.file(ask("/assets/index-a1b2.js", { "accept-encoding": "gzip, br" }));
  assert.deepEqual(Object.fromEntries(packed?.headers ?? []), {
    "cache-control": "public, max-age=31536000, immutable",
    "content-encoding": "gzip",
    "content-type": "text/javascript; charset=utf-8",
    vary: "accept-encoding",
  });
  const unpacked = packed?.body?.pipeThrough(new DecompressionStream("gzip"));
  assert.equal(await new Response(unpacked).text(), "page()".repeat(100));
  const plain = await files.file(ask("/look.js"));
  assert.equal(await plain?.text(), "look()");
  assert.equal(plain?.headers.get("cache-control"), "no-cache");
  assert.equal(plain?.headers.get("content-encoding"), null);
});

test("only built files are served, whatever the path", async () => {
  const files = webFiles(join(folder, "built"));
  const paths = [
    "/../secret.js",
    "/assets/..%2f..%2fsecret.js",
    "/assets/",
    "/.built-from",
    "/gone.js",
  ];
  for (const path of paths) assert.equal(await files.file(ask(path)), null, path);
});

test("a new build is served without a restart; without a build there is no page", async () => {
  const files = webFiles(join(folder, "built"));
  await files.page();
  await writeFile(join(folder, "built/index.html"), "<!doctype html>second");
  await utimes(join(folder, "built/index.html"), 1, 1);
  assert.equal(await (await files.page())?.text(), "<!doctype html>second");
  const none = webFiles(join(folder, "nowhere"));
  assert.deepEqual([await none.page(), await none.file(ask("/look.js"))], [null, null]);
});
