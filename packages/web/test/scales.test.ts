import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const styles = join(import.meta.dirname, "../src/styles");

/** Values of a property in all style files except the one that defines the scales. */
function valuesOf(property: RegExp): readonly string[] {
  return globSync("*.css", { cwd: styles })
    .filter((file) => file !== "scales.css")
    .flatMap((file) => {
      const text = readFileSync(join(styles, file), "utf8");
      return [...text.matchAll(property)].map((match) => `${file}: ${match[1]?.trim()}`);
    });
}

test("every text size in the styles is a variable of the scale", () => {
  const allowed = /: (?:var\(--text-\w+\)(?:\s*\/.*)?|inherit|0)$/;
  const sizes = valuesOf(/(?:font-size|font): ([^;]+);/g);
  assert.ok(sizes.length > 50);
  assert.deepEqual(
    sizes.filter((size) => !allowed.test(size)),
    [],
  );
});

test("every corner radius in the styles is a variable of the scale", () => {
  const allowed = /: (?:(?:var\(--radius[\w-]*\)|0|50%|inherit)\s*)+$/;
  const radii = valuesOf(/border-radius: ([^;]+);/g);
  assert.ok(radii.length > 50);
  assert.deepEqual(
    radii.filter((radius) => !allowed.test(radius)),
    [],
  );
});

test("every padding, margin and gap in the styles is a variable of the scale", () => {
  const spaces = valuesOf(/^[ \t]*(?:padding|margin|gap|row-gap|column-gap)[a-z-]*: ([^;]+);/gm);
  assert.ok(spaces.length > 200);
  // Values in em, vh and % depend on the text or the screen, not on the scale.
  assert.deepEqual(
    spaces.filter((space) => /\d(?:rem|px)\b/.test(space)),
    [],
  );
});
