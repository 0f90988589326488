/** Downloads content as a file. */
export function saveFile(content: string | Blob | readonly string[], name: string): void {
  // A type that no browser displays: a displayed page would have this page's origin.
  const pieces = typeof content === "string" || content instanceof Blob ? [content] : [...content];
  const address = URL.createObjectURL(new Blob(pieces, { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has started to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
