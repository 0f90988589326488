import { createHash } from "node:crypto";
import type { Holdfast, SessionHandle } from "@holdfast/sdk";

/** Content of a large document. Each kind puts a different load on the server; `invalid` is refused after parsing. */
export type Filling = "attachments" | "prompts" | "invalid";

/** Creates a document of about this size to import. */
export async function largeDocument(
  holdfast: Holdfast,
  options: { filling: Filling; bytes: number; directory: string },
): Promise<Buffer<ArrayBuffer>> {
  const { filling, bytes, directory } = options;
  switch (filling) {
    case "attachments":
      return withAttachments(holdfast, { bytes, directory });
    case "prompts":
      return withPrompts(holdfast, { bytes, directory });
    case "invalid": {
      const events = Buffer.alloc(bytes - 1_000, "[],");
      const head = `{"format":"holdfast-session","version":1,"prompts":[`;
      return Buffer.from(Buffer.concat([Buffer.from(head), events, Buffer.from("0],")]));
    }
  }
}

async function withAttachments(
  holdfast: Holdfast,
  { bytes, directory }: { bytes: number; directory: string },
): Promise<Buffer<ArrayBuffer>> {
  const session = await holdfast.sessions.create({ directory });
  const largest = 15 * 1024 * 1024;
  for (let left = bytes, count = 0; left > 0; left -= largest, count += 1) {
    const content = textOf(Math.min(left, largest), count);
    const attachments = [{ content, name: `${count}.txt`, mediaType: "text/plain" }];
    await session.prompt(`file ${count}`, { reply: false, attachments });
  }
  return Buffer.from(await exported(session));
}

/** Repeats one real prompt many times. */
async function withPrompts(
  holdfast: Holdfast,
  { bytes, directory }: { bytes: number; directory: string },
): Promise<Buffer<ArrayBuffer>> {
  const session = await holdfast.sessions.create({ directory });
  await session.prompt("0".repeat(1_000), { promptId: "first", reply: false });
  const document: Document = JSON.parse(await exported(session));
  const [created, ...events] = document.events;
  const hash = Object.keys(document.bodies)[0] ?? "";
  const body = JSON.stringify(document.bodies[hash]);
  const sample = JSON.stringify(events).slice(1, -1);
  const lines: string[] = [JSON.stringify(created)];
  const bodies: string[] = [];
  const length = sample.length + body.length + 100;
  for (let place = 0; place * length < bytes; place += 1) {
    const text = JSON.stringify({ text: String(place).padStart(1_000, "0") });
    const name = createHash("sha256").update(text).digest("hex");
    const offset = place * events.length;
    lines.push(
      sample
        .replaceAll("first", `prompt-${place}`)
        .replaceAll(hash, name)
        .replaceAll(
          /"(seq|acceptSeq)":(\d+)/g,
          (_, key, seq) => `"${key}":${Number(seq) + offset}`,
        ),
    );
    bodies.push(`"${name}":${JSON.stringify({ text })}`);
  }
  const { format, version, sessionId } = document;
  const head = JSON.stringify({ format, version, sessionId }).slice(0, -1);
  return Buffer.from(`${head},"events":[${lines.join(",")}],"bodies":{${bodies.join(",")}}}`);
}

async function exported(session: SessionHandle): Promise<string> {
  return (await Array.fromAsync(session.export())).join("");
}

interface Document {
  readonly format: string;
  readonly version: number;
  readonly sessionId: string;
  readonly events: readonly unknown[];
  readonly bodies: Readonly<Record<string, { readonly text: string }>>;
}

function textOf(length: number, seed: number): string {
  return `${seed} all work and no play\n`.repeat(Math.ceil(length / 20)).slice(0, length);
}
