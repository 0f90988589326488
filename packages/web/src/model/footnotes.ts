/** The two parts of a footnote: the number in the text, and the text of the footnote. */
export type FootnotePart = "mark" | "text";

/** Returns the address of a link to a part of a footnote. The address is valid inside of one answer. */
export function footnoteHref(to: FootnotePart, name: string): string {
  return `#footnote-${to}-${encodeURIComponent(name.toWellFormed())}`;
}

/**
 * Returns the address that the link at the other end has: the number in the text links to the footnote, and the number
 * of the footnote links back. Null if the address is not a link of a footnote.
 */
export function otherFootnoteHref(href: string | null): string | null {
  const [, to, name] = /^#footnote-(mark|text)-(.*)$/.exec(href ?? "") ?? [];
  return to === undefined ? null : `#footnote-${to === "mark" ? "text" : "mark"}-${name}`;
}
