import type { Holdfast } from "@holdfast/sdk";
import { emptyConversation } from "@holdfast/model/conversation.ts";
import { stripVTControlCharacters } from "node:util";
import { Client } from "../../src/client.ts";
import type { SessionView } from "../../src/session/session-view.ts";

export interface TestClient {
  readonly client: Client;
  /** Everything that the client wrote, with control sequences. */
  readonly raw: () => string;
  /** Everything that the client wrote, as text. */
  readonly text: () => string;
}

/** A client without a server, whose output a test reads. */
export function openClient(
  test: { after(work: () => void): void },
  { columns = 80, rows = 24, directory = "/srv/shop", isPlain = false } = {},
): TestClient {
  let raw = "";
  const write = (text: string): void => {
    raw += text;
  };
  const client = new Client({
    directory,
    output: { columns, rows, write },
    environment: { PATH: process.env["PATH"], SHELL: "/bin/sh" },
    theme: "plain",
    isPlain,
    history: { load: async () => [], add: async () => {} },
    onLeave: () => {},
    onSuspend: () => {},
    lend: (work) => work(),
  });
  test.after(() => client.close());
  return { client, raw: () => raw, text: () => stripVTControlCharacters(raw) };
}

/** Shows a session whose handle has only the given methods. */
export function showSession(
  client: Client,
  handle: object,
  fields: Partial<SessionView> = {},
): void {
  const view = {
    handle,
    conversation: emptyConversation(),
    inFlight: null,
    detail: null,
    lastEnd: 0,
    asks: [],
    isLive: true,
    isEnded: false,
    refresh: () => {},
    learn: () => {},
    close: () => {},
    ...fields,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test names the methods that it needs
  client.view = view as unknown as SessionView;
}

/** Connects the client to a server that has only the given methods. */
export function connectTo(client: Client, holdfast: object): void {
  const quiet = { events: async function* () {}, asks: async () => ({ items: [] }) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const server = { ...quiet, ...holdfast } as unknown as Holdfast;
  client.connected({ holdfast: server, offer: async () => {}, wake: async () => {} });
}
