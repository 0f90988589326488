let isGoingThrough = false;

/** Prevents the next composer from taking the focus. Called when the user switches sessions with keys. */
export function leaveFocus(): void {
  isGoingThrough = true;
}

/** Whether a new composer may take the focus. */
export function mayTakeFocus(): boolean {
  const may = !isGoingThrough;
  isGoingThrough = false;
  // Do not focus on a phone, because the on-screen keyboard would cover the conversation.
  return may && matchMedia("(hover: hover)").matches;
}
