import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { qrMatrix } from "../src/model/qr-matrix.ts";

const link = "http://127.0.0.1:4747/open#" + "aB3_-xY9".repeat(60);

// The expected codes were compared with those of another encoder, for every length from 1 to 400 bytes.
test("a link becomes the QR code of its bytes", () => {
  const digests = [14, 59, 120, 213, 400].map((length) => {
    const rows = qrMatrix(link.slice(0, length));
    const text = rows.map((row) => row.map((on) => (on ? "1" : "0")).join("")).join("\n");
    return [length, rows.length, createHash("sha256").update(text).digest("hex").slice(0, 16)];
  });
  assert.deepEqual(digests, [
    [14, 21, "56326fd879873843"],
    [59, 33, "937290c16af87b54"],
    [120, 45, "c5b70e221dcc3f04"],
    [213, 57, "b3cd48e90dedad7b"],
    [400, 77, "75b0190264f0a8b1"],
  ]);
});

test("a text that is too long for the largest supported code is refused", () => {
  assert.throws(() => qrMatrix("x".repeat(413)), RangeError);
});
