import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { createLearningRedactor, createRedactor } from "../../src/agent/redact.ts";

const key = 'sk-live/4f+9c?2e==77"a1';

test("a secret is masked in each of its encodings", () => {
  const redactor = createRedactor([key, "x", " "]);
  const bytes = Buffer.from(key);
  const forms = [
    key,
    JSON.stringify({ key }),
    encodeURIComponent(key),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    Buffer.from(`user:${key}`).toString("base64"),
    Buffer.from(`me:${key} and more`).toString("base64"),
    Buffer.from(`abc:${key}`).toString("base64url"),
  ];
  for (const form of forms) {
    const output = redactor.redact(`before ${form} after`);
    assert.match(output, /^before .*\[secret\].* after$/);
    // Only characters that encode both a part of the secret and a part of the text beside it may stay.
    assert.ok(output.length <= "before [secret] after".length + 20, output);
  }
  assert.equal(redactor.redact("x marks the spot"), "x marks the spot");
});

test("a secret is masked in a URL or JSON, whichever characters a program encodes", () => {
  const secret = "wJalr/XUtn+EMI K7MD&bPx(RfiCY";
  const redactor = createRedactor([secret]);
  const forms = {
    component: "wJalr%2FXUtn%2BEMI%20K7MD%26bPx(RfiCY",
    "lower case": "wJalr%2fXUtn%2bEMI%20K7MD%26bPx(RfiCY",
    "form field": "wJalr%2FXUtn%2BEMI+K7MD%26bPx%28RfiCY",
    path: "wJalr/XUtn%2BEMI%20K7MD%26bPx(RfiCY",
    address: "wJalr/XUtn+EMI%20K7MD&bPx(RfiCY",
    "escaped slash": String.raw`wJalr\/XUtn+EMI K7MD&bPx(RfiCY`,
  };
  const outputs = Object.entries(forms).map(([name, form]) => [
    name,
    redactor.redact(`a ${form} b`),
  ]);
  assert.deepEqual(
    outputs,
    Object.keys(forms).map((name) => [name, "a [secret] b"]),
  );
});

test("a secret that is wrapped over several lines is masked", () => {
  const long = "k3y-".repeat(40);
  const pem = `-----BEGIN KEY-----\n${"MIIabc/+".repeat(8)}\n${"0123456z".repeat(8)}\n-----END KEY-----\n`;
  const redactor = createRedactor([long, pem]);
  const wrapped = Buffer.from(long).toString("base64").replaceAll(/.{76}/g, "$&\n");
  assert.equal(redactor.redact(`a ${wrapped} b`), "a [secret] b");
  assert.equal(redactor.redact(`a\n${pem}b`), "a\n[secret]\nb");
  assert.equal(redactor.redact(pem.replaceAll("\n", "\r\n")), "[secret]\r\n");
  const numbered = pem.split("\n").map((line, index) => `${index}\t${line}`);
  assert.equal(
    redactor.redact(numbered.join("\n")),
    "0\t[secret]\n1\t[secret]\n2\t[secret]\n3\t[secret]\n4\t",
  );
});

test("a text that arrives in pieces is masked like the whole text", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 40 });
  const secret = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 4, maxLength: 8 });
  fc.assert(
    fc.property(
      fc.array(secret, { minLength: 1, maxLength: 3 }),
      fc.array(letters, { maxLength: 8 }),
      (secrets, pieces) => {
        const redactor = createRedactor(secrets);
        const stream = redactor.stream();
        const output = pieces.map((piece) => stream.push(piece)).join("") + stream.end();
        const whole = pieces.join("");
        assert.equal(output, redactor.redact(whole));
        assert.equal(output.replaceAll("[secret]", "").length, plainLength(whole, secrets));
      },
    ),
    { numRuns: 2_000 },
  );
});

/** Number of characters that no secret covers, counted in a slow and simple way. */
function plainLength(text: string, secrets: readonly string[]): number {
  const places = Array.from(text, (_, index) => index).filter((index) => text[index] !== "\n");
  const plain = text.replaceAll("\n", "");
  const covered = new Set<number>();
  for (const secret of secrets) {
    for (let at = 0; at + secret.length <= plain.length; at += 1) {
      if (!plain.startsWith(secret, at)) continue;
      const last = places[at + secret.length - 1] ?? 0;
      for (let place = places[at] ?? 0; place <= last; place += 1) covered.add(place);
    }
  }
  return text.length - covered.size;
}

test("no more text is held back than the length of a secret", () => {
  const stream = createRedactor(["abcdefgh"]).stream();
  assert.deepEqual(
    [
      stream.push("say abcd"),
      stream.push("x "),
      stream.push("abcdefg"),
      stream.push("h!"),
      stream.end(),
    ],
    ["say ", "abcdx ", "", "[secret]!", ""],
  );
  const repeating = createRedactor(["abab"]).stream();
  const outputs = Array.from({ length: 1_000 }, () => repeating.push("ab"));
  assert.equal(outputs.join("") + repeating.end(), "[secret]");
});

test("without secrets a text is unchanged", () => {
  const redactor = createRedactor([]);
  const stream = redactor.stream();
  assert.deepEqual(
    [redactor.redact("a\r\nb"), stream.push("c"), stream.end()],
    ["a\r\nb", "c", ""],
  );
});

test("a secret that is learned later is masked from then on, and earlier ones still are", () => {
  const redactor = createLearningRedactor();
  redactor.learn(["first-secret"]);
  assert.equal(redactor.redact("first-secret, second-secret"), "[secret], second-secret");
  redactor.learn(["second-secret", "first-secret", ""]);
  assert.equal(redactor.redact("first-secret, second-secret"), "[secret], [secret]");
  const stream = redactor.stream();
  assert.equal(stream.push("a second-") + stream.push("secret") + stream.end(), "a [secret]");
});
