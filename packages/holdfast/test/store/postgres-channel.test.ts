import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestContext } from "node:test";
import { Channel } from "../../src/store/postgres/channel.ts";
import type { ChannelOptions } from "../../src/store/postgres/channel.ts";
import { settingsOf } from "../../src/store/postgres/options.ts";
import { createHandClock } from "../support/hand-clock.ts";
import { sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { waitFor } from "../support/wait-for.ts";
import { startProxy } from "./postgres-chaos/proxy.ts";
import type { Proxy } from "./postgres-chaos/proxy.ts";

let server: SharedPostgres;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

test("a channel whose connection no longer answers reconnects after a failed send", async (t) => {
  const { openChannel, silence } = await twoPlaces(t);
  const heard: string[] = [];
  const sender = await openChannel("far");
  await openChannel("near", { onText: (text) => heard.push(text) > 0 });
  silence();
  assert.equal(await sender.send(["lost"]), false);
  await waitFor(() => sender.send(["sent"]), { describe: "a new connection" });
  await waitFor(() => heard.includes("sent"), { describe: "the text" });
});

test("a channel that only listens notices that its connection no longer answers", async (t) => {
  const { openChannel, silence } = await twoPlaces(t);
  const clock = createHandClock();
  const heard: string[] = [];
  let opened = 0;
  const onOpen = (): void => void (opened += 1);
  await openChannel("far", { clock, onOpen, onText: (text) => heard.push(text) > 0 });
  const sender = await openChannel("near");
  silence();
  const reopened = async (): Promise<boolean> => {
    await clock.move(30_000);
    return opened === 2;
  };
  await waitFor(reopened, { describe: "a new connection" });
  assert.equal(await sender.send(["sent"]), true);
  await waitFor(() => heard.includes("sent"), { describe: "the text" });
  assert.equal(opened, 2);
});

test(
  "a channel whose connection no longer answers can be closed",
  { timeout: 30_000 },
  async (t) => {
    const { openChannel, silence } = await twoPlaces(t);
    const channel = await openChannel("far");
    silence();
    await channel.close();
  },
);

type Place = "near" | "far";

/** A database with channels that are connected to it directly, and others through a network that can fall silent. */
async function twoPlaces(t: TestContext): Promise<{
  openChannel: (place: Place, options?: Partial<ChannelOptions>) => Promise<Channel>;
  silence: Proxy["silenceAll"];
}> {
  const near = await server.createDatabase();
  const proxy = await startProxy(server.port);
  const far = new URL(near);
  far.port = String(proxy.port);
  const channels: Channel[] = [];
  t.after(async () => {
    await Promise.all(channels.map((channel) => channel.close()));
    await proxy.close();
  });
  const key = randomBytes(32);
  // Without an answer for one second a connection counts as lost.
  const timeouts = { statement: 500, connect: 500 };
  return {
    openChannel: async (place, options = {}) => {
      const channel = new Channel({
        settings: settingsOf({ url: place === "near" ? near : far.href, timeouts }),
        key,
        prefix: "holdfast_lanes",
        onOpen: () => {},
        onText: () => true,
        onRejected: () => {},
        ...options,
      });
      channels.push(channel);
      await channel.open();
      return channel;
    },
    silence: () => proxy.silenceAll(),
  };
}
