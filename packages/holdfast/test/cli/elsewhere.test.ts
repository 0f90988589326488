import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { openCli, openEmbedded } from "./test-cli.ts";

/** Starts a foreign server; returns its address. */
async function listen(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

test("an address without a Holdfast server is reported, without its password", async (t) => {
  const token = "hf_elsewhere";
  const other = await listen(t, (_, response) => response.writeHead(404).end("<html>"));
  const ends = await Promise.all([
    openCli(t, { HOLDFAST_TOKEN: token }).run("sessions", "--server", other),
    openCli(t, { HOLDFAST_TOKEN: token }).run("sessions", "--server", "http://me:hidden@a.test"),
  ]);
  const advice = "check the address and its path";
  assert.deepEqual(ends, [
    {
      end: 1,
      out: "",
      err: `holdfast: serverAddress: the server at ${other} is not a Holdfast server; ${advice}\n`,
    },
    {
      end: 1,
      out: "",
      err: "holdfast: serverAddress: the address contains a user name or password; remove them and set HOLDFAST_TOKEN\n",
    },
  ]);
});

test("a route that an older server lacks is reported as a version difference", async (t) => {
  const health = { status: "ok", name: "holdfast", version: "9.9.9", proof: null };
  const error = { code: "unknownRoute", message: "there is no GET /v1/sessions", requestId: "1" };
  const newer = await listen(t, ({ url }, response) => {
    const isHealth = url === "/healthz";
    response.writeHead(isHealth ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isHealth ? health : { error }));
  });
  const sessions = (token: string) =>
    openCli(t, { HOLDFAST_TOKEN: token }).run("sessions", "--server", newer);
  const [{ end, err }, wrong] = await Promise.all([sessions("hf_elsewhere"), sessions("ключ")]);
  assert.match(wrong.err, /^holdfast: unauthorized: HOLDFAST_TOKEN is not a token; set it to/);
  assert.equal(end, 1);
  assert.match(err, /^holdfast: unknownRoute: the server does not support this; this command/);
});

test("commands that change something print the result as JSON with --json", async (t) => {
  const cli = openEmbedded(t);
  const { err: begun } = await cli.run("run", "say hello");
  const id = /session (\S+) /.exec(begun)?.[1] ?? "";
  const runJson = async (...words: string[]): Promise<Record<string, unknown>> => {
    const { end, out, err } = await cli.run(...words, "--json");
    assert.deepEqual([end, err, out.split("\n").length], [0, "", 2], words.join(" "));
    return JSON.parse(out);
  };
  assert.equal((await runJson("sessions", "rename", "A name", id))["title"], "A name");
  const { holdId } = await runJson("queue", "--session", id, "hold");
  const held = await runJson("queue", "--session", id, "release");
  assert.deepEqual([held["kind"], held["holdId"]], ["person", holdId]);
});
