/** The person behind an actor id: the user of this browser (with this or another client), or another user. */
export type Who =
  | { readonly kind: "here" }
  | { readonly kind: "own"; readonly client: string }
  | { readonly kind: "other"; readonly name: string };

/**
 * Returns who is behind an actor id. An id begins with a token name, followed by the client. `own` is the name of
 * this browser's token, derived from its owner's name: `ann/web`.
 */
export function whoIs(id: string, own: string | null): Who {
  if (own === null) return { kind: "other", name: id };
  if (id === own || id.startsWith(`${own}/`)) return { kind: "here" };
  const [name = "", ...rest] = id.split("/");
  if (name !== own.split("/")[0]) return { kind: "other", name: id };
  return { kind: "own", client: rest.join("/") };
}
