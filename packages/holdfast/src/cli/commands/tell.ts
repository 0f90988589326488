export interface JsonOption {
  readonly json?: true;
}

/** What came of a command: as one line of JSON for programs, or in words for people. */
export function tell({ json }: JsonOption, value: unknown, words: string): void {
  console.log(json === true ? JSON.stringify(value) : words);
}
