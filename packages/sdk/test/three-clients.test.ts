import assert from "node:assert/strict";
import { test } from "node:test";
import { startCommand } from "../../holdfast/test/cli/test-cli.ts";
import { program } from "../../holdfast/test/support/program.ts";
import { connect } from "../src/index.ts";
import type { SessionItem } from "../src/index.ts";
import { cuttingProxy } from "./support/cutting-proxy.ts";
import { readPlainly } from "./support/plain-reader.ts";
import { startServer } from "./support/server.ts";

const cuts = 40;
const passing = new Set(["live", "delta", "snapshot"]);

test(`T2: clients that are cut ${cuts} times at random have every event once, in the same order`, async () => {
  const server = await startServer();
  const seed = Math.floor(Math.random() * 2 ** 31);
  const options = { cuts, bytes: randomBytes(seed) };
  const proxies = [
    await cuttingProxy(server.url, options),
    await cuttingProxy(server.url, options),
    await cuttingProxy(server.url, options),
  ] as const;
  const ended = new AbortController();
  try {
    const { token } = server;
    const direct = connect({ url: server.url, token });
    const session = await direct.sessions.create({ directory: server.directory });
    const bySdk: SessionItem[] = [];
    const readBySdk = async (): Promise<void> => {
      const cutOff = connect({ url: proxies[0].url, token, backoff: { first: 1, most: 4 } });
      for await (const item of cutOff.session(session.sessionId).events()) {
        if (!passing.has(item.type)) bySdk.push(item);
        if (isLast(item)) return;
      }
    };
    const byHand: SessionItem[] = [];
    const url = `${proxies[1].url}/v1/sessions/${session.sessionId}/events`;
    const readByHand = readPlainly({
      url,
      token,
      take: (type, data) => {
        if (passing.has(type)) return true;
        const item: SessionItem = JSON.parse(data);
        byHand.push(item);
        return !isLast(item);
      },
    });

    const command = startCommand(
      [program, "attach", session.sessionId, "--json", "--tail=10000", "--server", proxies[2].url],
      { folder: server.directory, environment: { HOLDFAST_TOKEN: token } },
    );
    ended.signal.addEventListener("abort", () => command.process.kill("SIGKILL"));
    const readByCommand = async (): Promise<SessionItem[]> => {
      await command.matched(/"prompt\.settled".*"promptId":"last"/);
      command.process.kill("SIGTERM");
      const { end, out } = await command.ended;
      assert.equal(end, 0);
      return upToLast(
        out
          .trimEnd()
          .split("\n")
          .map((line): SessionItem => JSON.parse(line)),
      );
    };

    const reading = Promise.all([readByCommand(), readBySdk(), readByHand]);
    const work =
      "steps 120; say zwölf Boxkämpfer jagen Viktor über den Sylter Deich; tool read notes";
    for (let count = 0; count < 3; count += 1) await session.prompt(work);
    await (await session.prompt("say done", { promptId: "last" })).settled();
    const [byCommand] = await reading;

    const log: SessionItem[] = [];
    for await (const item of session.events({ follow: false })) {
      if (!passing.has(item.type)) log.push(item);
      if (isLast(item)) break;
    }
    assert.deepEqual(
      log.map((item) => ("seq" in item ? item.seq : null)),
      log.map((_, index) => index + 1),
    );
    assert.deepEqual(bySdk, log, `the SDK, with seed ${seed}`);
    assert.deepEqual(byHand, log, `a plain reader, with seed ${seed}`);
    assert.deepEqual(byCommand, log, `the command line, with seed ${seed}`);
    assert.deepEqual(
      proxies.map((proxy) => proxy.cuts),
      [cuts, cuts, cuts],
    );
  } finally {
    ended.abort();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await server.close();
  }
});

/** Drops items after the last expected one: the command prints until it is stopped. */
function upToLast(items: SessionItem[]): SessionItem[] {
  return items.slice(0, items.findIndex(isLast) + 1);
}

function isLast(item: SessionItem): boolean {
  return item.type === "prompt.settled" && item.promptId === "last";
}

/** Random number of bytes before a cut: from within the headers up to several events. */
function randomBytes(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return 1 + (state % 6_000);
  };
}
