import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { createInterface } from "node:readline";
import { waitFor } from "../../../support/wait-for.ts";

// A server with one fault, named by its argument. Written without an SDK, so that it can break the protocol.

const wrong = process.argv[2] ?? "";
const name = process.argv[3] ?? "rough";
let round = 0;

interface Request {
  id?: number;
  method: string;
  params?: {
    name?: string;
    cursor?: string;
    requestId?: number;
    reason?: string;
    _meta?: { progressToken?: number };
  };
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function answer(id: number | undefined, result: object): void {
  // This order of fields makes it hardest to find the id in a message that is too long.
  write({ result, jsonrpc: "2.0", id });
}

function text(id: number | undefined, words: string): void {
  answer(id, { content: [{ type: "text", text: words }] });
}

const object = { type: "object" };
const deep = `${'{"items":'.repeat(1_000)}{}${"}".repeat(1_000)}`;
const hostile = [
  { name: "fine", inputSchema: { type: "object", properties: { a: { type: "string" } } } },
  { name: "fine", description: "a second one", inputSchema: object },
  {
    name: "bad \u0000\u001b[31m/../name",
    description: "red \u001b[31m\u0007",
    inputSchema: object,
  },
  { name: "x".repeat(500), inputSchema: object },
  { name: "wordy", description: "y".repeat(1_000_000), inputSchema: object },
  { name: "none" },
  { name: "text", inputSchema: "string" },
  { name: "wrongType", inputSchema: { type: "object", properties: { a: { type: "nothing" } } } },
  { name: "list", inputSchema: { type: "array" } },
  { name: "deep", inputSchema: { type: "object", properties: { a: JSON.parse(deep) } } },
  { name: "long", inputSchema: { type: "object", description: "z".repeat(30_000) } },
  { name: 7 },
  "nothing",
  null,
];
const boasts = { prompts: {}, resources: {} };
const calls = "echo crash hang busy giant endless drip flood junk noise change".split(" ");

function list(params: Request["params"]): object {
  if (wrong === "hostile") return { tools: hostile };
  if (wrong === "notList") return { tools: "none" };
  if (wrong === "many") {
    const from = Number(params?.cursor ?? 0);
    const tools = Array.from({ length: 1_000 }, (_, index) => ({
      name: `tool${from + index}`,
      inputSchema: object,
    }));
    return from >= 9_000 ? { tools } : { tools, nextCursor: String(from + 1_000) };
  }
  if (wrong === "large") {
    const property = { type: "string", description: "z".repeat(18_000) };
    const inputSchema = { type: "object", properties: { a: property } };
    const tools = Array.from({ length: 50 }, (_, index) => ({ name: `tool${index}`, inputSchema }));
    return { tools };
  }
  // An endless list of pages.
  if (wrong === "circle") return { tools: [], nextCursor: String(Math.random()) };
  const extra = round === 0 ? [] : [`round${round}`];
  return { tools: [...calls, ...extra].map((tool) => ({ name: tool, inputSchema: object })) };
}

async function call({ id, params }: Request): Promise<void> {
  switch (params?.name ?? "") {
    case "crash":
      console.error("it hurts");
      process.exit(7);
    case "hang":
      console.error("hanging");
      break;
    case "busy": {
      const { _meta: meta } = params ?? {};
      const method = "notifications/progress";
      let progress = 0;
      setInterval(() => {
        progress += 1;
        write({ jsonrpc: "2.0", method, params: { ...meta, progress } });
      }, 50);
      break;
    }
    case "giant":
      text(id, "g".repeat(50_000_000));
      break;
    case "endless":
      for (;;) if (!process.stdout.write("e".repeat(1_000_000))) await drained();
    case "drip":
      for (;;) {
        process.stdout.write("d");
        await new Promise((resolve) => setImmediate(resolve));
      }
    case "flood":
      for (;;) {
        const note = {
          jsonrpc: "2.0",
          method: "notifications/message",
          params: { level: "info", data: 1 },
        };
        if (!process.stdout.write(`${JSON.stringify(note)}\n`)) await drained();
      }
    case "junk":
      for (let line = 0; line < 500; line += 1) console.log(`line ${line}`);
      write([1, 2, 3]);
      process.stdout.write(`${deep}\n{"jsonrpc":"2.0","id":null}\n`);
      text(id, "after the junk");
      break;
    case "noise":
      text(id, "noisy");
      for (let line = 1; ; line += 1) {
        const isTaken = process.stderr.write(`${line} ${"n".repeat(1_000)}\n`);
        if (!isTaken) await new Promise((resolve) => process.stderr.once("drain", resolve));
      }
    case "change":
      round += 1;
      write({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      text(id, `round ${round}`);
      break;
    default:
      text(id, `echo from ${name} ${process.pid}`);
  }
}

/** Resolves when the file exists. */
async function appeared(file: string): Promise<void> {
  await waitFor(() => existsSync(file), { describe: `the file ${file}`, limit: 60_000 });
}

function drained(): Promise<void> {
  return new Promise((resolve) => process.stdout.once("drain", resolve));
}

async function answerTo(request: Request): Promise<void> {
  const { id, method, params } = request;
  switch (method) {
    case "initialize":
      if (wrong === "mumbling") console.error("waiting for a login\nat example.org");
      if (wrong === "asking") console.log("Ok to proceed? (y)");
      if (["silent", "mumbling", "asking"].includes(wrong)) return;
      if (wrong === "late") await appeared(name);
      answer(id, {
        protocolVersion: "2025-06-18",
        capabilities: { tools: { listChanged: true }, ...(wrong === "boastful" ? boasts : {}) },
        serverInfo: { name, version: "0" },
      });
      break;
    case "tools/list":
      if (wrong === "listless") return;
      answer(id, list(params));
      if (wrong === "deaf") process.stdin.pause();
      break;
    case "tools/call":
      await call(request);
      break;
    case "notifications/cancelled":
      console.error(`cancelled ${params?.requestId}: ${params?.reason}`);
      break;
    case "notifications/initialized":
      if (wrong === "flapping") {
        for (;;) {
          round += 1;
          write({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
          await delay(2);
        }
      }
      break;
    default:
      if (id !== undefined)
        write({ jsonrpc: "2.0", id, error: { code: -32_601, message: "no such thing" } });
  }
}

if (wrong === "exits") {
  console.error("there is no config");
  process.exit(3);
}
if (["stubborn", "silent", "deaf"].includes(wrong)) {
  process.on("SIGTERM", () => console.error("no"));
  setInterval(() => {}, 1_000);
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const request: Request = JSON.parse(line);
  answerTo(request).catch(() => {});
});
