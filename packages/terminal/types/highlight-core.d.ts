// The package's own types would add the globals of browsers to the whole project.

/** The definition of a language. Opaque. */
export type LanguageFn = (core: HighlightCore) => object;

export interface HighlightCore {
  registerLanguage(name: string, language: LanguageFn): void;
  getLanguage(name: string): object | undefined;
  highlight(
    code: string,
    options: { language: string; ignoreIllegals?: boolean },
  ): { value: string };
}

declare const core: HighlightCore;
// oxlint-disable-next-line import/no-default-export -- as the package does
export default core;
