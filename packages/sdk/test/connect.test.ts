import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../src/index.ts";
import { json, scripted } from "./support/scripted.ts";

test("connect refuses a malformed token or url, and the message does not contain it", () => {
  const url = "http://holdfast.test";
  const wrong: [options: { url: string; token?: string }, message: RegExp][] = [
    [{ url: "ftp://holdfast.test" }, /must start with http:\/\/ or https:\/\/, not with ftp:$/],
    [
      { url: "http://me:hidden@holdfast.test" },
      /contains a user name or password; remove it and pass a token$/,
    ],
    [
      { url, token: "geheim–hidden" },
      /^the token contains a space or a character that is not ASCII/,
    ],
    [{ url, token: "two words" }, /^the token contains a space/],
  ];
  for (const [options, message] of wrong) {
    assert.throws(
      () => connect(options),
      (error) =>
        error instanceof TypeError && message.test(error.message) && !/hidden/.test(error.message),
    );
  }
});

test("a token may end with a line break, as read from a file", async () => {
  const headers: (string | null)[] = [];
  const { holdfast, timing } = scripted(
    [
      (request) => {
        headers.push(request.headers.get("authorization"));
        return json({ role: "admin" })(request);
      },
    ],
    { token: "hf_secret\n" },
  );
  await timing.during(holdfast.me());
  assert.deepEqual(headers, ["Bearer hf_secret"]);
});
