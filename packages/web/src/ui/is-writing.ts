/** Whether the element takes text, so that letters typed there are not shortcuts. */
export function isWriting(target: EventTarget | null): target is HTMLElement {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches("input, textarea, select, [contenteditable]");
}
