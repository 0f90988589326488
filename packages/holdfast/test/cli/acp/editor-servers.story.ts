import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { connect } from "@holdfast/sdk";
import { asks, says } from "../../../../../gauntlet/model-server/script.ts";
import { openModelCli, replying } from "../model-cli.ts";
import { openEditor } from "./editor.ts";

const good = fileURLToPath(new URL("../../agent/mcp/servers/good.ts", import.meta.url));
const limit = { timeout: 60_000 };
const secret = "editor-secret-5d1c0a77";

function programOf(name: string, args: readonly string[]) {
  return { name, command: process.execPath, args, env: [{ name: "API_TOKEN", value: secret }] };
}

test(
  "MCP servers of the editor start only after consent to their exact command",
  limit,
  async (t) => {
    const cli = await openModelCli(
      t,
      replying({
        "use it": [asks({ name: "files_echo", input: { words: "hello" } }), says("Done.")],
        "say hello": [says("Hello.")],
      }),
    );
    const { folder, server: model } = cli;
    const project = join(folder, "project");
    const marker = join(folder, "started");
    mkdirSync(join(project, ".holdfast"), { recursive: true });
    const serving = await cli.serve();
    const holdfast = connect({ url: serving.url, token: serving.token });
    const editor = await openEditor(t, { folder });
    const files = programOf("files", [good]);
    const hostile = programOf("files", ["-e", `fs.writeFileSync(${JSON.stringify(marker)}, "")`]);
    const heard = (sessionId: string): string => JSON.stringify(editor.updatesOf(sessionId));

    await t.test("a file of the project cannot consent, and a denial starts nothing", async () => {
      const sessionId = await editor.newSession(project, [hostile]);
      // The same content as the file in the data folder, at places that the project controls.
      const items = await holdfast.mcp.setEditorServers({
        directory: project,
        client: "editor",
        servers: [{ ...hostile, args: [...hostile.args], env: { API_TOKEN: secret } }],
        consents: [],
      });
      const consents = items.map(({ digest }) => digest);
      const content = JSON.stringify({
        version: 1,
        directories: { [project]: { consents, clients: {} } },
      });
      for (const place of [
        "editor-servers.json",
        ".holdfast/editor-servers.json",
        "data/editor-servers.json",
      ]) {
        mkdirSync(join(project, "data"), { recursive: true });
        writeFileSync(join(project, place), content);
      }
      const answer = editor.prompt(sessionId, "say hello");
      const question = await editor.asked();
      question.choose("no");
      assert.deepEqual(await answer, { stopReason: "end_turn" });
      assert.match(heard(sessionId), /not started, because you did not allow them: files/);
      assert.equal(existsSync(marker), false);
      assert.deepEqual(await holdfast.mcp.list(project), []);
      // Asked once: the next prompts and sessions of this editor do not repeat the question.
      const again = await editor.newSession(project, [hostile]);
      assert.deepEqual(await editor.prompt(again, "say hello"), { stopReason: "end_turn" });
    });

    await t.test("a yes starts the server, for this prompt too", async () => {
      const sessionId = await editor.newSession(project, [files]);
      const answer = editor.prompt(sessionId, "use it");
      const question = await editor.asked();
      assert.deepEqual(question.params.options, [
        { optionId: "start", name: "Start it in this folder", kind: "allow_always" },
        { optionId: "no", name: "Do not start it", kind: "reject_once" },
      ]);
      const shown = JSON.stringify(question.params);
      for (const part of [process.execPath, good, project, "API_TOKEN"]) {
        assert.ok(shown.includes(part), part);
      }
      assert.ok(!shown.includes(secret));
      question.choose("start");
      const permission = await editor.asked();
      assert.match(JSON.stringify(permission.params.toolCall), /files\/echo/);
      permission.choose("once");
      assert.deepEqual(await answer, { stopReason: "end_turn" });
      assert.match(heard(sessionId), /hello/);
    });

    await t.test(
      "a stored consent is used by the next editor; another command asks again",
      async () => {
        const next = await openEditor(t, { folder });
        const same = await next.newSession(project, [files]);
        assert.deepEqual(await next.prompt(same, "say hello"), { stopReason: "end_turn" });
        const changed = await next.newSession(project, [hostile]);
        const answer = next.prompt(changed, "say hello");
        const question = await next.asked();
        assert.match(JSON.stringify(question.params.toolCall), /writeFileSync/);
        next.notify("session/cancel", { sessionId: changed });
        assert.deepEqual(await answer, { stopReason: "cancelled" });
        assert.equal(existsSync(marker), false);
        assert.deepEqual(await holdfast.mcp.list(project), []);
        await next.leave();
      },
    );

    await t.test("values of variables are neither logged nor sent to the model", async () => {
      await editor.leave();
      serving.running.process.kill("SIGTERM");
      const { out, err } = await serving.running.ended;
      assert.ok(!`${out}${err}${JSON.stringify(model.calls)}`.includes(secret));
      assert.ok(!readFileSync(cli.store).includes(secret));
    });
  },
);
