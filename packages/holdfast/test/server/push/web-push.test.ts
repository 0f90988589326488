import assert from "node:assert/strict";
import { createPublicKey, randomBytes, verify } from "node:crypto";
import { test } from "node:test";
import {
  createVapidSigner,
  encryptMessage,
  newVapidKeys,
  topicOf,
  vapidHeader,
} from "../../../src/server/push/web-push.ts";
import { createDevice } from "./device.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "base64url");

test("a message is encrypted as in Appendix A of RFC 8291", () => {
  const device = {
    p256dh: bytes(
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    ),
    auth: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
  };
  const body = encryptMessage("When I grow up, I want to be a watermelon", device, {
    salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"),
    privateKey: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
    size: 0,
  });
  assert.equal(
    body.toString("base64url"),
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

test("messages of all kinds have the same size, and only the device can read them", () => {
  const device = createDevice();
  const keys = { p256dh: bytes(device.keys.p256dh), auth: bytes(device.keys.auth) };
  const sealed = ["a", '{"kind":"needsYou","sessionId":"main"}'].map((text) =>
    encryptMessage(text, keys, { salt: randomBytes(16), privateKey: randomBytes(32) }),
  );
  assert.equal(sealed[0]?.length, sealed[1]?.length);
  assert.equal(device.decrypt(sealed[1] ?? Buffer.of()), '{"kind":"needsYou","sessionId":"main"}');
  assert.throws(() => createDevice().decrypt(sealed[1] ?? Buffer.of()));
});

test("the server signs for the origin of the push service, for half a day (RFC 8292)", () => {
  const keys = newVapidKeys();
  const now = Date.UTC(2026, 0, 1);
  const contact = "https://holdfast.example.org";
  const endpoint = "https://push.example.net/send/abc?x=1";
  const header = vapidHeader(keys, { endpoint, now, contact });
  const [, token = "", key = ""] = /^vapid t=(\S+), k=(\S+)$/.exec(header) ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  assert.deepEqual(JSON.parse(bytes(head).toString()), { typ: "JWT", alg: "ES256" });
  assert.deepEqual(JSON.parse(bytes(claims).toString()), {
    aud: "https://push.example.net",
    exp: now / 1000 + 12 * 60 * 60,
    sub: contact,
  });
  assert.equal(key, keys.publicKey);
  const point = bytes(key);
  const publicKey = createPublicKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
    },
  });
  const signed = Buffer.from(`${head}.${claims}`);
  const check = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
  assert.equal(verify("sha256", signed, check, bytes(signature)), true);
});

test("a signature is used for an hour, for one push service and one key", () => {
  const sign = createVapidSigner("https://holdfast.example.org");
  const [keys, others] = [newVapidKeys(), newVapidKeys()];
  const hour = 60 * 60_000;
  const now = Date.UTC(2026, 0, 1);
  const first = sign(keys, { endpoint: "https://push.example.net/a", now });
  assert.equal(sign(keys, { endpoint: "https://push.example.net/b", now: now + hour - 1 }), first);
  const rest = [
    sign(keys, { endpoint: "https://push.example.org/a", now }),
    sign(others, { endpoint: "https://push.example.net/a", now }),
    sign(keys, { endpoint: "https://push.example.net/a", now: now + hour }),
    sign(keys, { endpoint: "https://push.example.net/a", now: now - hour }),
  ];
  assert.equal(new Set([first, ...rest]).size, 5);
});

test("a topic names the session for one device only", () => {
  const [one, other] = [randomBytes(16), randomBytes(16)];
  assert.match(topicOf("main", one), /^[A-Za-z0-9_-]{32}$/);
  assert.equal(topicOf("main", one), topicOf("main", one));
  assert.notEqual(topicOf("main", one), topicOf("main", other));
  assert.notEqual(topicOf("main", one), topicOf("next", one));
});
