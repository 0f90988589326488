import { pathFrom, readText } from "./read-file.ts";

export interface ReferenceContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Folder of the config file. A relative path in a reference such as `{file:key.txt}` starts at this folder. */
  readonly folder: string;
}

export type Resolved =
  | {
      readonly status: "resolved";
      readonly text: string;
      /** Values that replaced references such as `{env:NAME}`. */
      readonly secrets: readonly string[];
      readonly files: readonly string[];
    }
  | { readonly status: "failed"; readonly message: string; readonly files: readonly string[] };

const pattern = /\{(env|file):([^{}]*)\}/g;

export function hasReference(text: string): boolean {
  return text.search(pattern) !== -1;
}

/** Replaces `{env:NAME}` and `{file:path}` with their values. The values never appear in an error message. */
export async function resolveReferences(
  text: string,
  context: ReferenceContext,
): Promise<Resolved> {
  const secrets: string[] = [];
  const files: string[] = [];
  const pieces: string[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, kind, name = ""] = match;
    const found = kind === "env" ? variable(name, context) : await fileContent(name, context);
    if (found.file !== null) files.push(found.file);
    if (found.value === null) return { status: "failed", message: found.message, files };
    secrets.push(found.value);
    pieces.push(text.slice(from, match.index), found.value);
    from = match.index + whole.length;
  }
  pieces.push(text.slice(from));
  return { status: "resolved", text: pieces.join(""), secrets, files };
}

type Found =
  | { readonly value: string; readonly file: string | null }
  | { readonly value: null; readonly file: string | null; readonly message: string };

function variable(name: string, { environment }: ReferenceContext): Found {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    const message = "has a reference without a variable name; write it as {env:NAME}";
    return { value: null, file: null, message };
  }
  const value = Object.hasOwn(environment, name) ? (environment[name]?.trim() ?? "") : "";
  if (value !== "") return { value, file: null };
  const message = `the environment variable ${name} is not set in the Holdfast process; set it and restart the server (\`holdfast server stop\`)`;
  return { value: null, file: null, message };
}

async function fileContent(written: string, context: ReferenceContext): Promise<Found> {
  if (written.trim() === "" || written.includes("\0")) {
    const message = "has a reference without a file name; write it as {file:path}";
    return { value: null, file: null, message };
  }
  const file = pathFrom(written.trim(), context);
  const content = await readText(file, { root: null, maxBytes: 65_536 });
  const fail = (message: string): Found => ({
    value: null,
    file,
    message: `the file ${file} ${message}`,
  });
  switch (content.status) {
    case "missing":
      return fail("does not exist");
    case "unusable":
      return fail(content.message);
    case "read": {
      const value = content.text.trim();
      return value === "" ? fail("is empty") : { value, file };
    }
  }
}
