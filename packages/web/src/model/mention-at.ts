/** An `@` and the beginning of a name at the end of a text. `start`: index of the `@`. */
export interface TypedMention {
  readonly start: number;
  readonly words: string;
}

/**
 * Returns the mention at the end of a text. Null if there is none, or if the `@` follows a character that an email
 * address can contain. Chinese has no spaces between words, so the `@` may follow a Chinese character directly.
 */
export function mentionAt(text: string): TypedMention | null {
  const match = /(?:^|[^\w.+%@-])@([^\s@，。、；！？]*)$/u.exec(text);
  const [, words] = match ?? [];
  return words === undefined ? null : { start: text.length - words.length - 1, words };
}
