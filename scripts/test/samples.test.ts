import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { parseFiles } from "../reference/parse-files.ts";
import { commentsIn } from "../samples/comments.ts";
import { draw } from "../samples/draw.ts";
import { messagesIn } from "../samples/error-messages.ts";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

test("the script writes numbered samples of every kind, without file names", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-samples-"));
  const args = ["scripts/samples.ts", "--out", folder, "--seed", "one"];
  await run(process.execPath, args, { cwd: root });
  const counts = Object.fromEntries(
    readdirSync(folder).map((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      assert.doesNotMatch(text, /packages\/\w+\/src/, file);
      return [file, text.match(/^\d+\.$/gm)?.length ?? 0] as const;
    }),
  );
  const { "command-descriptions.txt": descriptions = 0, ...drawn } = counts;
  assert.ok(descriptions > 150, `${descriptions} descriptions`);
  assert.deepEqual(drawn, {
    "comments.txt": 200,
    "commit-subjects.txt": 60,
    "error-messages.txt": 100,
    "interface-en.txt": 60,
    "interface-zh.txt": 60,
  });
});

test("the same seed draws the same items, another seed draws others", () => {
  const from = Array.from({ length: 500 }, (_, index) => `item ${index}`);
  const first = draw({ seed: "a", name: "x", from, count: 50 });
  assert.deepEqual(draw({ seed: "a", name: "x", from: from.toReversed(), count: 50 }), first);
  assert.notDeepEqual(draw({ seed: "b", name: "x", from, count: 50 }), first);
  assert.equal(new Set(first).size, 50);
});

test("comments come with the line below them, and without directives", () => {
  const text = [
    "// First line",
    "// and second.",
    "const a = 1; // not the start of a line",
    "  /**",
    "   * A block.",
    "   */",
    "  function b() {}",
    "// oxlint-disable-next-line no-console -- a directive",
  ];
  assert.deepEqual(commentsIn(text.join("\n")), [
    "// First line\n// and second.\nconst a = 1; // not the start of a line",
    "/**\n* A block.\n*/\nfunction b() {}",
  ]);
});

test("error messages show the names of inserted values and follow constants", () => {
  const text = `
    const advice = "name another file";
    throw new CliError("file", \`\${options.file} can't be read: \${reason}; \${advice}\`);
    return refuse({ code: "busy" }, "the session is busy; " + "try again");
    console.log("no error at all");
  `;
  const source = parseFiles(new Map([["a.ts", text]])).get("a.ts");
  assert.ok(source !== undefined);
  assert.deepEqual(messagesIn(source), [
    "‹file› can't be read: ‹reason›; name another file",
    "the session is busy; try again",
  ]);
});
