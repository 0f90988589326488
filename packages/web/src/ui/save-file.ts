/** Hands content to the person as a file. */
export function saveFile(content: string | Blob | readonly string[], name: string): void {
  // No type that a browser would show: a page out of it would belong to this page's origin.
  const pieces = typeof content === "string" || content instanceof Blob ? [content] : [...content];
  const address = URL.createObjectURL(new Blob(pieces, { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
