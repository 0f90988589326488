let isGoingThrough = false;

/** Who goes from session to session with keys goes on to: the next composer leaves them their keys. */
export function leaveFocus(): void {
  isGoingThrough = true;
}

/** Whether a composer that has just come may take the keys. */
export function mayTakeFocus(): boolean {
  const may = !isGoingThrough;
  isGoingThrough = false;
  // On a phone the keyboard would cover what somebody came to read.
  return may && matchMedia("(hover: hover)").matches;
}
