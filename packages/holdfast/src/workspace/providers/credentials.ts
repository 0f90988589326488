import { readFile } from "node:fs/promises";
import { z } from "zod";
import { protocolNames } from "../../agent/model/known-providers.ts";
import { createMutex } from "../../base/serial.ts";
import { isMissing } from "../../base/folders.ts";
import { WorkspaceError } from "../loader.ts";
import { writePrivately } from "../settings-file.ts";

/** Stored results of `connect` and `disconnect`, in a file that only its owner can read. */
export interface Credentials {
  /** Throws a WorkspaceError if the file exists but cannot be used. */
  read(): Promise<ReadonlyMap<string, Credential>>;
  put(name: string, credential: Credential): Promise<void>;
  /** Returns all stored keys, even unused ones. */
  keys(): Promise<readonly string[]>;
}

/** The last `connect` or `disconnect` of a provider, and its time. */
export type Credential = { readonly at: number } & (
  | {
      readonly status: "connected";
      readonly key: string | null;
      /** Null: use the provider's default. */
      readonly baseUrl: string | null;
      readonly protocol: z.infer<typeof protocolSchema> | null;
      readonly defaultModel: string | null;
      /** Set if the key is the token of a sign-in. */
      readonly signIn?: z.infer<typeof signInSchema> | undefined;
    }
  /** Do not use the provider, even if the environment or a config defines it. */
  | { readonly status: "disconnected" }
  /** Use the provider again as the environment or a config defines it. */
  | { readonly status: "usual" }
);

const protocolSchema = z.enum(protocolNames);

const signInSchema = z.object({ refresh: z.string().nullable(), clientId: z.string() });

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
        signIn: signInSchema.optional(),
      }),
      z.object({ status: z.literal("disconnected"), at: z.number() }),
      z.object({ status: z.literal("usual"), at: z.number() }),
    ]),
  ),
});

export function createCredentials(file: string): Credentials {
  const mutex = createMutex();
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
        entry.status === "connected" ? secretsIn(entry) : [],
      ),
    put: (name, credential) => mutex(() => put(name, credential)),
  };
}

function secretsIn({ key, signIn }: Extract<Credential, { status: "connected" }>): string[] {
  return [key, signIn?.refresh ?? null].filter((secret) => secret !== null);
}

/** Builds the error for an unusable file. It does not quote the content, because that contains keys. */
function unusable(file: string, cause: unknown): WorkspaceError {
  const reason =
    cause instanceof z.ZodError || cause instanceof SyntaxError
      ? "it has an unknown format"
      : cause instanceof Error && "code" in cause
        ? String(cause.code)
        : "it cannot be read";
  const message = `the file with the provider keys cannot be read (${reason}); fix it, or remove it and run \`holdfast connect\` again`;
  return new WorkspaceError([
    { severity: "error", file, line: null, column: null, key: null, message },
  ]);
}
