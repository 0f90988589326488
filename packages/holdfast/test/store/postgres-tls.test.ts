import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { TLSSocket, createSecureContext } from "node:tls";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { temporaryFolder } from "../agent/tools/workbench.ts";

test("a certificate of an unknown authority is refused with the parameter to add", async (t) => {
  const url = `${await startTlsDatabase(t)}?sslmode=verify-full`;
  await assert.rejects(openPostgresStore({ url }), {
    code: "storeInvalid",
    message: /^the certificate of the database could not be verified; .* add sslrootcert=/u,
  });
});

test("a certificate for another host is refused", async (t) => {
  const authority = join(temporaryFolder(t), "ca.pem");
  writeFileSync(authority, certificate);
  const url = `${await startTlsDatabase(t)}?sslmode=verify-full&sslrootcert=${authority}`;
  await assert.rejects(openPostgresStore({ url }), {
    code: "storeInvalid",
    message: /^the certificate of the database is for another host/u,
  });
});

test("a certificate file that does not exist is reported as such", async (t) => {
  const missing = join(temporaryFolder(t), "missing.pem");
  const url = `${await startTlsDatabase(t)}?sslmode=verify-full&sslrootcert=${missing}`;
  await assert.rejects(openPostgresStore({ url }), {
    code: "storeInvalid",
    message: /^a certificate file that the address names cannot be read.*missing\.pem/u,
  });
});

test("a database without TLS is refused if the address requires TLS", async (t) => {
  const url = `${await startDatabase(t, "N")}?sslmode=verify-full`;
  await assert.rejects(openPostgresStore({ url }), {
    code: "storeInvalid",
    message: /^the database does not use TLS/u,
  });
});

/** Starts the part of a PostgreSQL server that negotiates TLS, with a certificate for `db.internal`. */
function startTlsDatabase(t: TestContext): Promise<string> {
  return startDatabase(t, "S");
}

/** `answer` is the server's answer to a request for TLS: S for yes, N for no. */
async function startDatabase(t: TestContext, answer: "S" | "N"): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(answer);
      if (answer === "N") return;
      const secureContext = createSecureContext({ key, cert: certificate });
      new TLSSocket(socket, { isServer: true, secureContext }).on("error", () => {});
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server with a port
  const { port } = server.address() as AddressInfo;
  return `postgres://holdfast@127.0.0.1:${port}/holdfast`;
}

// Made for this test: a self-signed certificate for db.internal, valid until 2126.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1L6r6MSWHDWfr5IB
UKcGAGvFnsxnR7CQELtY16n4o2ihRANCAAQV4SV1uZJPXoMxgLuwtG94LmMG1Ncd
jil3K4Qi6+Jc/xqFMHaa4yM0IApgU65IsvC6SfO5fa5UXpd2HET24D4N
-----END PRIVATE KEY-----`;

const certificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUd1gKKVdNnfjkwiNoQuYIeUAetdswCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLZGIuaW50ZXJuYWwwIBcNMjYxMTE4MDQxNzU1WhgPMjEyNjEw
MjUwNDE3NTVaMBYxFDASBgNVBAMMC2RiLmludGVybmFsMFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEFeEldbmST16DMYC7sLRveC5jBtTXHY4pdyuEIuviXP8ahTB2
muMjNCAKYFOuSLLwuknzuX2uVF6XdhxE9uA+DaNrMGkwHQYDVR0OBBYEFKBQ+nLl
mQXR2501D5wyTs3Fz6IZMB8GA1UdIwQYMBaAFKBQ+nLlmQXR2501D5wyTs3Fz6IZ
MA8GA1UdEwEB/wQFMAMBAf8wFgYDVR0RBA8wDYILZGIuaW50ZXJuYWwwCgYIKoZI
zj0EAwIDSQAwRgIhAIGF2YyySZgQQXP9p7VIZVpL0fs+5Z7VTvTg1+uUBXQaAiEA
heTgy5SFGYsgkg1YM8NbaikbFZWN9aZLLQUxvHRjB4Q=
-----END CERTIFICATE-----`;
