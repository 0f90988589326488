import { readFile } from "node:fs/promises";
import { z } from "zod";
import { createMutex } from "../../base/serial.ts";
import { isMissing } from "../../base/folders.ts";
import { WorkspaceError } from "../loader.ts";
import { writePrivately } from "../settings-file.ts";

/** What people have said about providers while the program ran, in a file that only they can read. */
export interface Credentials {
  /** Throws a WorkspaceError when the file is there and cannot be used. */
  read(): Promise<ReadonlyMap<string, Credential>>;
  put(name: string, credential: Credential): Promise<void>;
  /** Every key that is kept, used or not. */
  keys(): Promise<readonly string[]>;
}

/** What was said last, and when. */
export type Credential = { readonly at: number } & (
  | {
      readonly status: "connected";
      readonly key: string | null;
      /** Null for what is known of the provider otherwise. */
      readonly baseUrl: string | null;
      readonly protocol: z.infer<typeof protocolSchema> | null;
      readonly defaultModel: string | null;
    }
  /** Not to be used, whatever the environment or a config says. */
  | { readonly status: "disconnected" }
  /** To be used again as these say. */
  | { readonly status: "usual" }
);

const protocolSchema = z.enum(["anthropic", "openai", "google", "compatible"]);

const schema = z.object({
  version: z.literal(1),
  providers: z.record(
    z.string(),
    z.discriminatedUnion("status", [
      z.object({
        status: z.literal("connected"),
        at: z.number(),
        key: z.string().nullable(),
        baseUrl: z.string().nullable(),
        protocol: protocolSchema.nullable(),
        defaultModel: z.string().nullable(),
      }),
      z.object({ status: z.literal("disconnected"), at: z.number() }),
      z.object({ status: z.literal("usual"), at: z.number() }),
    ]),
  ),
});

export function createCredentials(file: string): Credentials {
  const oneAtATime = createMutex();
  const read = async (): Promise<Map<string, Credential>> => {
    const text = await readFile(file, "utf8").catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw unusable(file, error);
    });
    if (text === null) return new Map();
    try {
      return new Map(Object.entries(schema.parse(JSON.parse(text)).providers));
    } catch (error) {
      throw unusable(file, error);
    }
  };
  const put = async (name: string, credential: Credential): Promise<void> => {
    const known = await read();
    known.set(name, credential);
    const content = { version: 1, providers: Object.fromEntries(known) };
    await writePrivately(file, `${JSON.stringify(content, null, 2)}\n`);
  };
  return {
    read,
    keys: async () =>
      [...(await read()).values()].flatMap((entry) =>
        entry.status === "connected" ? (entry.key ?? []) : [],
      ),
    put: (name, credential) => oneAtATime(() => put(name, credential)),
  };
}

/** What it holds is not quoted: a part of it is a key. */
function unusable(file: string, cause: unknown): WorkspaceError {
  const reason =
    cause instanceof z.ZodError || cause instanceof SyntaxError
      ? "it is not what this program writes"
      : cause instanceof Error && "code" in cause
        ? String(cause.code)
        : "it cannot be read";
  const message = `the providers' keys cannot be read (${reason}); mend the file, or remove it and connect again`;
  return new WorkspaceError([
    { severity: "error", file, line: null, column: null, key: null, message },
  ]);
}
