import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseError } from "pg";
import { isConnectionLost, storeErrorOf } from "../../src/store/postgres/errors.ts";
import { StoreError } from "../../src/store/store-error.ts";

test("P1 every network fault is a lost connection that can be retried", () => {
  const systemCodes = [
    "EADDRNOTAVAIL",
    "EAI_AGAIN",
    "EAI_FAIL",
    "ECONNREFUSED",
    "EHOSTDOWN",
    "EMFILE",
    "ENETDOWN",
    "ENOBUFS",
    "ENOENT",
    "ENOTCONN",
    "EPROTO",
  ];
  const faults = [
    ...systemCodes.map((code) => failure({ code, syscall: "read" })),
    new AggregateError([failure({ code: "EHOSTDOWN", syscall: "connect" })]),
    ...["ECONNRESET", "EPIPE", "ETIMEDOUT", "ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC"].map(
      (code) => failure({ code }),
    ),
    new Error("Query read timeout"),
  ];
  for (const fault of faults) {
    assert.ok(isConnectionLost(fault), String(fault));
    const error = storeErrorOf(fault);
    assert.ok(error instanceof StoreError);
    assert.deepEqual([error.code, error.retryable], ["storeUnavailable", true], String(fault));
  }
});

test("a bug, a file that cannot be read and an error of the database are no lost connection", () => {
  const others = [
    new TypeError("x is not a function"),
    failure({ code: "ERR_INVALID_ARG_TYPE" }),
    failure({ code: "ENOENT", syscall: "open" }),
    failure({ code: "EISDIR", syscall: "read" }),
    Object.assign(new DatabaseError("duplicate key", 0, "error"), { code: "23505" }),
  ];
  for (const other of others) assert.ok(!isConnectionLost(other), String(other));
});

function failure(fields: { code: string; syscall?: string }): Error {
  return Object.assign(new Error(`${fields.syscall ?? "failed"} ${fields.code}`), fields);
}
