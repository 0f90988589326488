/** Actions of keyboard shortcuts on the shown session. */
export interface SessionKeys {
  find(): void;
  toEnd(): void;
  scrollBy(pages: number): void;
}

let current: SessionKeys | null = null;

export function setSessionKeys(keys: SessionKeys | null): void {
  current = keys;
}

export function sessionKeys(): SessionKeys | null {
  return current;
}
