import { createHash } from "node:crypto";

/** What every provider takes as a tool's name. */
const maxName = 64;
const maxPart = 48;
const maxServer = 24;

/**
 * What a tool of a server is called: `name` for the model, `part` in permission rules, after the
 * server's name. A name that providers would not take is changed and gets a hash, so that it stays the
 * same whatever else the server lists.
 */
export function toolNames(
  server: string,
  tool: string,
): { readonly name: string; readonly part: string } {
  const part = fit(tool, maxPart);
  return { name: fit(`${fit(server, maxServer)}_${part}`, maxName), part };
}

/** The same name, but one that nothing else has. */
export function otherName(name: string): string {
  return fitted(name, name, maxName);
}

/** As it is when it consists of harmless characters and is short enough. */
export function fit(text: string, max: number): string {
  const plain = text.replaceAll(/[^\w-]+/g, "_").replace(/^(?=[\d-])/, "_");
  return plain === text && text !== "" && text.length <= max ? text : fitted(plain, text, max);
}

function fitted(plain: string, original: string, max: number): string {
  const hash = createHash("sha256").update(original).digest("hex").slice(0, 8);
  return `${plain.slice(0, max - hash.length - 1)}_${hash}`;
}
