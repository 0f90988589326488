/**
 * The user behind an actor id. `here`: the user of this browser. `own`: the same user with another client. `other`:
 * another user.
 */
export type Who =
  | { readonly kind: "here" }
  | { readonly kind: "own"; readonly client: string }
  | { readonly kind: "other"; readonly name: string };

/**
 * Returns who is behind an actor id. An actor id is the name of a token, a slash and the name of a client. `own` is the
 * name of this browser's token, such as `ann/web`. Ids with the same first part (`ann`) belong to the same user.
 */
export function whoIs(id: string, own: string | null): Who {
  if (own === null) return { kind: "other", name: id };
  if (id === own || id.startsWith(`${own}/`)) return { kind: "here" };
  const [name = "", ...rest] = id.split("/");
  if (name !== own.split("/")[0]) return { kind: "other", name: id };
  return { kind: "own", client: rest.join("/") };
}
