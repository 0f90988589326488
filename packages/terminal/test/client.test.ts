import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Refused } from "@holdfast/sdk";
import type { Workspace } from "@holdfast/sdk";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { AskDialog } from "../src/panels/ask-dialog.ts";
import { statusOf } from "../src/layout.ts";
import { connectTo, openClient, showSession } from "./support/client.ts";

test("a prompt after the end of the event stream is refused and does not start a new session", async (t) => {
  const { client, text } = openClient(t);
  const created: unknown[] = [];
  const handle = {
    sessionId: "one",
    markSeen: async () => {},
    get: async () => {
      throw new Error("The token was revoked.");
    },
  };
  const sessions = { create: async (input: unknown) => void created.push(input) };
  connectTo(client, { session: () => handle, sessions });
  client.open("one");
  await waitFor(() => client.view?.isEnded, { describe: "the end of the stream" });
  client.outbox.send("my prompt", "queue");
  await waitFor(() => client.editor.getText() === "my prompt", { describe: "the kept prompt" });
  client.paint();
  assert.match(text(), /The token was revoked\.[^]*no longer updated here\. \/sessions opens/);
  assert.deepEqual([created, client.view?.handle.sessionId], [[], "one"]);
});

test("a prompt that cannot be sent while another one is typed is named, and the draft stays", async (t) => {
  const { client, text } = openClient(t);
  const sessions = {
    create: async () => {
      throw new Error("The server refuses.");
    },
  };
  connectTo(client, { sessions });
  client.editor.setText("a draft");
  client.outbox.send("my prompt", "queue");
  await waitFor(() => client.outbox.waiting.length === 0, { describe: "the failure" });
  await setImmediate();
  client.paint();
  assert.match(
    text(),
    /The server refuses\.[^]*Not sent: my prompt\s+↑ in an empty editor recalls it/,
  );
  assert.equal(client.editor.getText(), "a draft");
});

test("before the workspace is loaded, the status line does not name the demo agent", (t) => {
  const { client } = openClient(t);
  assert.doesNotMatch(statusOf(client, 80), /demo agent/);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the status line reads only these fields
  client.workspace = { model: null, demo: true, agent: null, agents: [] } as unknown as Workspace;
  assert.match(statusOf(client, 80), /no model: demo agent/);
});

test("a client that ends while a view is open leaves the alternate screen", (t) => {
  const { client, raw } = openClient(t);
  client.page({ title: "Help", isAtEnd: false, lines: () => ["text"] });
  assert.ok(raw().includes("\u001b[?1049h"));
  client.close();
  assert.ok(raw().lastIndexOf("\u001b[?1049l") > raw().indexOf("\u001b[?1049h"));
});

test("a request of a sub-agent that was answered elsewhere leaves the screen with the next answer (R4)", async (t) => {
  const { client } = openClient(t);
  const ask = { askId: "ask", sessionId: "child", callId: null, question: "Which?", extra: null };
  const childLink = { sessionId: "child", promptId: "p", outcome: null };
  const closed = { code: "askClosed", message: "closed", details: {}, requestId: null } as const;
  connectTo(client, {
    session: (sessionId: string) => ({
      get: async () => ({
        sessionId,
        openAsks: 1,
        background: [],
        active: { kind: "run", children: sessionId === "root" ? [childLink] : [] },
      }),
      asks: async () => ({ items: [ask] }),
      markSeen: async () => {},
      answer: () => Promise.reject(new Refused({ ...closed, status: 409 })),
    }),
  });
  showSession(client, { sessionId: "root" });
  client.family?.setRoot("root");
  await waitFor(() => client.asks.length === 1, { describe: "the ask" });
  await client.answer(new AskDialog(ask), { verdict: "deny" });
  assert.deepEqual([client.asks, client.hint], [[], "Another client has already answered"]);
});
