/** The two parts of a footnote: the number in the text, and the text of the footnote. */
export type FootnotePart = "mark" | "text";

/** Returns the address of a link to a part of a footnote. The address is valid inside of one answer. */
export function footnoteHref(to: FootnotePart, name: string): string {
  return `#footnote-${to}-${encodeURIComponent(name.toWellFormed())}`;
}

/**
 * Links between a footnote's number in the text and the footnote itself: returns the address of the other end. Null if
 * the address is not a link of a footnote.
 */
export function otherFootnoteHref(href: string | null): string | null {
  const [, to, name] = /^#footnote-(mark|text)-(.*)$/.exec(href ?? "") ?? [];
  return to === undefined ? null : `#footnote-${to === "mark" ? "text" : "mark"}-${name}`;
}
