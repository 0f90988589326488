/** Downloads content as a file. */
export function saveFile(content: string | Blob | readonly string[], name: string): void {
  // Use a media type that no browser displays: a displayed file would run with this page's origin.
  const pieces = typeof content === "string" || content instanceof Blob ? [content] : [...content];
  const address = URL.createObjectURL(new Blob(pieces, { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // Release the content after a minute: by then, the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
