import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused, Unavailable } from "../src/index.ts";
import type {
  AnsweredCode,
  Ask,
  ErrorCode,
  ErrorDetails,
  HoldfastError,
  RefusedWith,
} from "../src/index.ts";
import { refusal, scripted } from "./support/scripted.ts";
import type { Answer } from "./support/scripted.ts";

/** Compiles only if each type can be assigned to the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

test("the code of a refusal decides the type of its details", () => {
  true satisfies Same<RefusedWith<"staleRevision">["details"], ErrorDetails["staleRevision"]>;
  true satisfies Same<RefusedWith<"queueFull">["details"]["limit"], number>;
  true satisfies Same<RefusedWith<"askClosed">["details"]["ask"], Ask>;
  true satisfies Same<Refused["code"], AnsweredCode>;
  true satisfies Same<AnsweredCode, ErrorCode | `http${number}`>;
  const answer = { status: 409, message: "taken", requestId: null, details: { runId: "r1" } };
  const error = new Refused({ ...answer, code: "takenIn" });
  // @ts-expect-error the details are not known before the code is
  assert.equal(error.details.runId, "r1");
  // @ts-expect-error no error has this code
  assert.ok(error.code !== "unknownPlanet");
  assert.ok(error.code === "takenIn");
  assert.equal(error.details.runId, "r1");
  // @ts-expect-error a refusal with this code has no limit
  assert.equal(error.details.limit, undefined);
});

test("the codes of the other errors are closed unions too", () => {
  const answer = { status: 503, message: "later", requestId: null, details: {} };
  const error: HoldfastError = new Unavailable(
    { ...answer, code: "draining" },
    { retryAfter: null },
  );
  // @ts-expect-error no error has this code
  assert.ok(error.code !== "lost");
  assert.equal(error.code, "draining");
});

const proxy: Answer = () => new Response("<html>Not here</html>", { status: 404 });

test("an answer of a proxy becomes a refusal with its HTTP status and no details", async () => {
  const { holdfast } = scripted([proxy, refusal(404, "unknownSession")]);
  const errors = [
    await holdfast.me().catch((error: unknown) => error),
    await holdfast.me().catch((error: unknown) => error),
  ];
  assert.deepEqual(
    errors.map((error) => error instanceof Refused && [error.code, error.details]),
    [
      ["http404", {}],
      ["unknownSession", {}],
    ],
  );
});
