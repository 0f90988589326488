/** Whether the element accepts typed text, so that letters typed there are not shortcuts. */
export function isWriting(target: EventTarget | null): target is HTMLElement {
  if (!(target instanceof HTMLElement)) return false;
  // An event from inside a shadow root names the host of the root as its target.
  if (target.shadowRoot !== null) return isWriting(target.shadowRoot.activeElement);
  return target.matches("input, textarea, select, [contenteditable]");
}
