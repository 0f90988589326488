import { readFile } from "node:fs/promises";
import { request as send } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { listen } from "../../../holdfast/test/server/stream/listen.ts";
import { keys } from "../support/pty.ts";
import { openStory } from "../support/story.ts";

test("ages follow the clock of the server, not that of the terminal's machine", async (t) => {
  const story = await openStory(t);
  const url = await aheadBy(t, story.serving.server.url, 3 * 3_600_000);
  const token = (await readFile(join(story.folder, "data/holdfast/token"), "utf8")).trim();
  const terminal = story.open({ environment: { HOLDFAST_SERVER: url, HOLDFAST_TOKEN: token } });
  await terminal.shows("●", "the connection");
  terminal.type(`stall${keys.enter}`);
  // The prompt starts at the real time, and three hours earlier than the time that the server reports.
  await terminal.shows(/Working… 3 h 0 min/);
  terminal.type(keys.escape);
  await terminal.hides("Working");
});

/** A proxy that reports a time in the future. Returns its address. */
async function aheadBy(context: TestContext, url: string, ahead: number): Promise<string> {
  const { host } = new URL(url);
  const port = await listen(context, (request, response) => {
    const { method, headers } = request;
    const options = { method, headers: { ...headers, host } };
    const onward = send(new URL(request.url ?? "/", url), options, (answer) => {
      const date = new Date(Date.now() + ahead).toUTCString();
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, date });
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  return `http://127.0.0.1:${port}`;
}
