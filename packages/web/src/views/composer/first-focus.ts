let isGoingThrough = false;

/** Keeps the next composer from taking the focus, while the user switches sessions with keys. */
export function leaveFocus(): void {
  isGoingThrough = true;
}

/** Whether a new composer may take the focus. */
export function mayTakeFocus(): boolean {
  const may = !isGoingThrough;
  isGoingThrough = false;
  // On a phone, the keyboard would cover the conversation.
  return may && matchMedia("(hover: hover)").matches;
}
