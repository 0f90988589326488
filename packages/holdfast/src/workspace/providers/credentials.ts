import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { SignIn, SignIns } from "../../agent/mcp/oauth/sign-ins.ts";
import { protocolNames } from "../../agent/model/protocol-names.ts";
import { createMutex } from "../../base/serial.ts";
import { isMissing } from "../../base/folders.ts";
import { changePrivateFile } from "../change-private-file.ts";
import { WorkspaceError } from "../loader.ts";
import { writePrivately } from "../settings-file.ts";

/** Stores the results of `connect` and `disconnect` in a file that only its owner can read. */
export interface Credentials {
  /**
   * Returns the stored credentials by provider name. Throws a CredentialsError if the credentials file exists but
   * cannot be used.
   */
  read(): Promise<ReadonlyMap<string, Credential>>;
  put(name: string, credential: Credential): Promise<void>;
  /** Returns all stored keys and tokens, even unused ones, for redaction. */
  keys(): Promise<readonly string[]>;
  /** Stored sign-ins to MCP servers. */
  readonly serverSignIns: SignIns;
}

/** The last `connect` or `disconnect` of a provider, with its time. */
export type Credential = { readonly at: number } & (
  | {
      readonly status: "connected";
      readonly key: string | null;
      /** Set if the key is not stored here but comes from the environment or a config. */
      readonly keyFrom?: "environment" | undefined;
      /** Null: the provider's default address. */
      readonly baseUrl: string | null;
      readonly protocol: z.infer<typeof protocolSchema> | null;
      readonly defaultModel: string | null;
      /** Set if the key is a token from a sign-in. */
      readonly signIn?: z.infer<typeof signInSchema> | undefined;
    }
  /** The provider is not used, even if the environment or a config defines it. */
  | { readonly status: "disconnected" }
  /** The provider is used as the environment or a config defines it. */
  | { readonly status: "usual" }
);

const protocolSchema = z.enum(protocolNames);

const signInSchema = z.object({ refresh: z.string().nullable(), clientId: z.string() });

/**
 * Schema for null or an object with this string field. Other fields are not validated, because the MCP SDK defines
 * them.
 */
function partWith<Part>(field: string): z.ZodType<Part | null> {
  return z.custom<Part | null>(
    (part) => part === null || z.looseObject({ [field]: z.string() }).safeParse(part).success,
  );
}

const serverSignInSchema = z.object({
  client: partWith<NonNullable<SignIn["client"]>>("client_id"),
  tokens: partWith<NonNullable<SignIn["tokens"]>>("access_token"),
  discovery: partWith<NonNullable<SignIn["discovery"]>>("authorizationServerUrl"),
  redirectUrl: z.string(),
  wantedScope: z.string().nullable(),
});

const schema = z.object({
  version: z.literal(1),
  mcp: z.record(z.string(), serverSignInSchema).optional(),
  providers: z.record(
    z.string(),
    z.discriminatedUnion("status", [
      z.object({
        status: z.literal("connected"),
        at: z.number(),
        key: z.string().nullable(),
        keyFrom: z.literal("environment").optional(),
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

type Content = z.infer<typeof schema>;

export function createCredentials(file: string): Credentials {
  const mutex = createMutex();
  const read = async (): Promise<Content> => {
    const text = await readFile(file, "utf8").catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw unusable(file, error);
    });
    if (text === null) return { version: 1, providers: {} };
    try {
      return schema.parse(JSON.parse(text));
    } catch (error) {
      throw unusable(file, error);
    }
  };
  const change = (changed: (content: Content) => Content): Promise<void> =>
    mutex(() =>
      changePrivateFile(file, async () => {
        const content = changed(await read());
        await writePrivately(file, `${JSON.stringify(content, null, 2)}\n`);
      }),
    );
  return {
    read: async () => new Map(Object.entries((await read()).providers)),
    keys: async () => {
      const { providers, mcp = {} } = await read();
      return [...Object.values(providers).flatMap(keyOf), ...Object.values(mcp).flatMap(secretsOf)];
    },
    put: (name, credential) =>
      change((content) => ({
        ...content,
        providers: { ...content.providers, [name]: credential },
      })),
    serverSignIns: {
      read: async (url) => {
        const { mcp = {} } = await read();
        return Object.hasOwn(mcp, url) ? (mcp[url] ?? null) : null;
      },
      put: (url, signIn) =>
        change((content) => {
          const { [url]: _, ...others } = content.mcp ?? {};
          return { ...content, mcp: signIn === null ? others : { ...others, [url]: signIn } };
        }),
    },
  };
}

function keyOf(entry: Credential): readonly string[] {
  return entry.status === "connected" ? secretsIn(entry) : [];
}

function secretsIn({ key, signIn }: Extract<Credential, { status: "connected" }>): string[] {
  return [key, signIn?.refresh ?? null].filter((secret) => secret !== null);
}

function secretsOf({ client, tokens }: Pick<SignIn, "client" | "tokens">): readonly string[] {
  const secrets = [client?.client_secret, tokens?.access_token, tokens?.refresh_token];
  return secrets.filter((secret) => secret !== undefined);
}

/** Builds the error for an unusable file. It does not quote the content, because that contains keys. */
function unusable(file: string, cause: unknown): CredentialsError {
  const reason =
    cause instanceof z.ZodError || cause instanceof SyntaxError
      ? "it has an unknown format"
      : cause instanceof Error && "code" in cause
        ? String(cause.code)
        : "it cannot be read";
  return new CredentialsError(file, reason);
}

/** Thrown if the credentials file exists but cannot be used. */
export class CredentialsError extends WorkspaceError {
  /** The file and the problem, without the advice. */
  readonly problem: string;

  constructor(file: string, reason: string) {
    const problem = `the file with the provider keys cannot be read (${reason})`;
    const message = `${problem}; fix it, or remove it and run \`holdfast connect\` again`;
    super([{ severity: "error", file, line: null, column: null, key: null, message }]);
    this.name = "CredentialsError";
    this.problem = `${file}: ${problem}`;
  }
}
