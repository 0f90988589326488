import assert from "node:assert/strict";
import { makeBody } from "../../../src/store/body.ts";
import * as make from "../../kernel/support/commands.ts";
import { storeTest } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { done, verdict } from "../lane-client.ts";

const tenMegabytes = 10 * 1024 * 1024;

export function testBodies(engine: Engine): void {
  storeTest(engine, "a body is stored once, however many prompts have it", async (place) => {
    const lane = await place.newLane("s");
    const other = await place.newLane("t");
    await lane.accept("p1", { text: "the same words" });
    await Promise.all([
      lane.accept("p2", { text: "the same words" }),
      other.accept("p1", { text: "the same words" }),
    ]);
    const { hash, content } = makeBody("the same words");
    assert.deepEqual(
      [(await lane.row("p1")).body, (await lane.row("p2")).body, (await other.row("p1")).body],
      [hash, hash, hash],
    );
    assert.deepEqual(await readBody(place.store.body(hash)), Buffer.from(content));
  });

  storeTest(
    engine,
    "P4 concurrent reads of prompts and bodies each get their own answer",
    async (place) => {
      const [lane, other] = [await place.newLane("s"), await place.newLane("t")];
      const numbers = Array.from({ length: 150 }, (_, number) => number);
      await Promise.all(numbers.map((number) => lane.accept(`p${number}`, { text: `s${number}` })));
      done(await other.accept("p0", { text: "t0" }));
      const { store } = place;
      const wordsOf = async (sessionId: string, promptId: string): Promise<string | null> => {
        const body = (await store.prompt(sessionId, promptId))?.body ?? null;
        const content = body === null ? null : await store.body(body);
        return content === null ? null : Buffer.from(content).toString();
      };
      const asked = [
        ...numbers.map((number) => wordsOf("s", `p${number}`)),
        wordsOf("s", "p0"),
        wordsOf("t", "p0"),
        wordsOf("t", "p1"),
        wordsOf("none", "p0"),
      ];
      const expected = [...numbers.map((number) => `s${number}`), "s0", "t0", null, null];
      assert.deepEqual(await Promise.all(asked), expected);
      assert.equal(await store.body("none"), null);
    },
  );

  storeTest(
    engine,
    "P3 P5 a refused request, or a repeated one with other text, stores no body",
    async (place) => {
      const lane = await place.newLane("s");
      done(await lane.accept("p1"));
      const other = { text: "other words", contentHash: "another" };
      assert.equal(verdict(await lane.accept("p1", other)), "conflict");
      assert.equal(await place.store.body(makeBody("other words").hash), null);
    },
  );

  storeTest(engine, "bodies hold any bytes", async (place) => {
    const lane = await place.newLane("s");
    const body = makeBody(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    done(await lane.send(make.accept("p1", { body: body.hash, bytes: 256 }), [body]));
    await place.reopen();
    assert.deepEqual(await readBody(place.store.body(body.hash)), Buffer.from(body.content));
  });

  storeTest(
    engine,
    "P5 ten megabytes are stored within the limit, and refused above it",
    async (place) => {
      const lane = await place.newLane("s");
      const text = "x".repeat(tenMegabytes);
      const limits = { ...make.plentyOfRoom, maxBytes: tenMegabytes };
      assert.equal(verdict(await lane.accept("p1", { text: `${text}y`, limits })), "tooLarge");
      // Compare as a boolean: a diff of this size would be too large to print.
      assert.equal((await place.store.body(makeBody(`${text}y`).hash)) === null, true);
      done(await lane.accept("p1", { text, limits }));
      const { hash, content } = makeBody(text);
      const stored = await readBody(place.store.body(hash));
      assert.ok(stored.equals(content));
    },
  );
}

async function readBody(body: Promise<Uint8Array | null>): Promise<Buffer> {
  return Buffer.from((await body) ?? "no such body");
}
