/** Whom an actor's id means to somebody: themselves here, themselves with another client, or another. */
export type Who =
  | { readonly kind: "here" }
  | { readonly kind: "own"; readonly client: string }
  | { readonly kind: "other"; readonly name: string };

/**
 * Ids begin with the name of a token; what follows is the client. `own` is the name of this browser's
 * token, which was made from its owner's: `ann/web`.
 */
export function whoIs(id: string, own: string | null): Who {
  if (own === null) return { kind: "other", name: id };
  if (id === own || id.startsWith(`${own}/`)) return { kind: "here" };
  const [name = "", ...rest] = id.split("/");
  if (name !== own.split("/")[0]) return { kind: "other", name: id };
  return { kind: "own", client: rest.join("/") };
}
