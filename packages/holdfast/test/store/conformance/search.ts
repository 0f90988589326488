import assert from "node:assert/strict";
import { searchViews } from "../../../src/runtime/views/search.ts";
import type { SearchQuery } from "../../../src/runtime/views/search.ts";
import { makeBody } from "../../../src/store/body.ts";
import { edit } from "../../kernel/support/commands.ts";
import { storeTest } from "../engine.ts";
import type { Engine, Place } from "../engine.ts";
import type { LaneClient } from "../lane-client.ts";

export function testSearch(engine: Engine): void {
  storeTest(
    engine,
    "search finds words, identifiers and parts of them, and CJK pairs",
    async (place) => {
      const lane = await place.newLane("main");
      const texts = {
        plain: "Please fix the Café login",
        code: "call fs.promises.readFileSync with MAX_RETRY_COUNT",
        lower: "rename readfile and HTTPServer",
        chinese: "删除会话管理器的索引",
        japanese: "ユーザー名をｶﾞｲﾄﾞに追加",
        arabic: "أصلِح تسجيل الدخول",
      };
      await tell(lane, texts);
      const found: [words: string, ids: string[]][] = [
        ["cafe", ["plain"]],
        ["LOGIN fix", ["plain"]],
        ["logi", []],
        ["logi*", ["plain"]],
        ["l*", ["plain"]],
        ["promise*", ["code"]],
        ["promised*", []],
        ["readFile", ["code"]],
        ["readfile", ["lower"]],
        ["retry_count", ["code"]],
        ["promises.readFileSync", ["code"]],
        ["promises.writeFileSync", []],
        ["server", ["lower"]],
        ["会话", ["chinese"]],
        ["会话管理", ["chinese"]],
        ["话会", []],
        ["会", ["chinese"]],
        ["引", ["chinese"]],
        ["ガイド", ["japanese"]],
        ["أصلح", ["arabic"]],
        ["تسجيل", ["arabic"]],
        ['"the café login"', ["plain"]],
        ['"login café"', []],
        ["AND OR NEAR( ) fix", []],
        ["fix ' ; -- :*", ["plain"]],
        ["'; DROP TABLE texts; --", []],
        ["\" \\ ' | & ! <-> login", ["plain"]],
        ["\u202Eتسجيل\u202C", ["arabic"]],
        ["\u200Fتسجيل الدخول", ["arabic"]],
        ["l", []],
        ["x".repeat(10_000), []],
        [`${"x".repeat(10_000)}*`, []],
        ["登".repeat(60), []],
        ["a\0b \uD800", []],
        ["_k_s0000000000000000", []],
      ];
      for (const [words, ids] of found) {
        assert.deepEqual(await prompts(place, { words }), ids, words);
      }
    },
  );

  storeTest(engine, "search refuses texts without words and with too many words", async (place) => {
    for (const [words, message] of [
      ["", /no letter or digit/],
      ['"" () * ^ - : \u202E 😀', /no letter or digit/],
      [Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(" "), /too many words/],
      [
        String.fromCodePoint(...Array.from({ length: 10_000 }, (_, i) => 0x4e00 + i)),
        /too many words/,
      ],
    ] as const) {
      const refused = search(place, { words });
      await assert.rejects(refused, (error: Error) => message.test(error.message));
    }
  });

  storeTest(engine, "search finds the beginning of many different words", async (place) => {
    const lane = await place.newLane("main");
    const many = Array.from({ length: 70 }, (_, index) => `version${index + 10}`).join(" ");
    await tell(lane, { few: "versions", many, none: "verse" });
    assert.deepEqual(await prompts(place, { words: "version*" }), ["many", "few"]);
    assert.deepEqual(await prompts(place, { words: "version7*" }), ["many"]);
    assert.deepEqual(await prompts(place, { words: "vers*" }), ["none", "many", "few"]);
  });

  storeTest(
    engine,
    "search has filters, pages newest first, and finds a text at once",
    async (place) => {
      const one = await place.newLane("one");
      const two = await place.newLane("two");
      await tell(one, { a: "common alpha", b: "common beta" });
      await place.advance(1_000);
      const later = await place.store.now();
      await tell(two, { c: "common alpha" });
      assert.deepEqual(await prompts(place, { words: "common" }), ["c", "b", "a"]);
      await tell(two, { d: "common beta" });
      assert.deepEqual(await prompts(place, { words: "common" }), ["d", "c", "b", "a"]);
      assert.deepEqual(await prompts(place, { words: "common", sessionId: "one" }), ["b", "a"]);
      assert.deepEqual(await prompts(place, { words: "common alpha" }), ["c", "a"]);
      assert.deepEqual(await prompts(place, { words: "common", since: later }), ["d", "c"]);
      assert.deepEqual(await prompts(place, { words: "common", until: later }), ["b", "a"]);
      assert.deepEqual(await prompts(place, { words: "common", kinds: ["title"] }), []);
      await one.send({ type: "session.rename", title: "common title", auto: false });
      await one.send({ type: "session.rename", title: "common name", auto: false });
      const titles = await search(place, { words: "common", kinds: ["title"] });
      assert.deepEqual(
        titles.hits.map(({ title, snippet }) => [title, snippet]),
        [
          [
            "common name",
            [
              { text: "common", isMatch: true },
              { text: " name", isMatch: false },
            ],
          ],
        ],
      );
      const pages: string[][] = [];
      for (let after: number | null = null; ;) {
        const page = await search(place, { words: "common", kinds: ["prompt"], limit: 3, after });
        pages.push(page.hits.map(({ promptId = "" }) => promptId));
        if (page.cursor === null) break;
        after = page.cursor;
      }
      assert.deepEqual(pages, [["d", "c", "b"], ["a"]]);
    },
  );

  storeTest(engine, "search finds only the current text of an edited prompt", async (place) => {
    const lane = await place.newLane("main");
    await tell(lane, { a: "first", b: "former wording" });
    const body = makeBody(JSON.stringify({ text: "current wording" }));
    await lane.send(edit("b", { body: body.hash, bytes: body.content.length }), [body]);
    assert.deepEqual(await prompts(place, { words: "wording" }), ["b"]);
    assert.deepEqual(await prompts(place, { words: "former" }), []);
  });

  storeTest(engine, "a deleted session leaves the index in its own commit", async (place) => {
    const lane = await place.newLane("main");
    await tell(lane, { a: "hidden words" });
    const kept = await place.newLane("kept");
    await tell(kept, { k: "visible words" });
    assert.deepEqual(await prompts(place, { words: "hidden" }), ["a"]);
    const before = await place.indexRows();
    await lane.remove();
    assert.deepEqual(
      await place.indexRows(),
      before.map((rows) => rows - 1),
      "no index row outlives the commit of the delete",
    );
    assert.deepEqual(await prompts(place, { words: "hidden" }), []);
    // A text that was not indexed before the delete never gets into the index.
    const other = await place.newLane("other");
    await tell(other, { b: "hidden too" });
    await other.remove();
    assert.deepEqual(await prompts(place, { words: "hidden" }), []);
    assert.deepEqual(await prompts(place, { words: "visible" }), ["k"]);
    assert.deepEqual(
      await place.indexRows(),
      before.map(() => 1),
    );
  });

  storeTest(
    engine,
    "an emptied index is filled again, and two writers do not repeat a text",
    async (place) => {
      const lane = await place.newLane("main");
      await tell(lane, { a: "words once" });
      const mark = await place.store.searchMark();
      const peer = await place.peer();
      await Promise.all([
        searchViews(place.store).indexTexts(5_000),
        searchViews(peer).indexTexts(5_000),
      ]);
      assert.deepEqual(await prompts(place, { words: "once" }), ["a"]);
      const write = { after: mark, mark: "elsewhere", texts: [], removed: [] };
      assert.equal(await place.store.writeSearch(write), false, "the mark has moved");
      await place.store.checkSearch();
      await place.store.clearSearch();
      assert.equal(await place.store.searchMark(), null);
      assert.deepEqual(await prompts(place, { words: "once" }), ["a"]);
    },
  );
}

type Asked = Partial<SearchQuery> & { readonly words: string };

function search(place: Place, query: Asked) {
  return searchViews(place.store).search({ directories: null, after: null, limit: 50, ...query });
}

async function prompts(place: Place, query: Asked): Promise<string[]> {
  const { hits, isComplete } = await search(place, query);
  assert.equal(isComplete, true);
  return hits.map(({ promptId = "" }) => promptId);
}

async function tell(lane: LaneClient, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [promptId, text] of Object.entries(texts)) {
    await lane.accept(promptId, { text: JSON.stringify({ text }) });
  }
}
