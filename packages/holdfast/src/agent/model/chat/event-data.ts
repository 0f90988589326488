/** Takes a text/event-stream apart, however it was cut. */
export interface EventData {
  /** The data of the events that are complete with these bytes. */
  push(bytes: Uint8Array): readonly string[];
}

export function createEventData(): EventData {
  const decoder = new TextDecoder();
  /** What has come behind the last end of a line. */
  let rest = "";
  let data: string[] = [];
  return {
    push: (bytes) => {
      let text = rest + decoder.decode(bytes, { stream: true });
      rest = "";
      if (text.includes("\r")) {
        // The other half of a line's end may still come.
        if (text.endsWith("\r")) rest = "\r";
        text = text.slice(0, text.length - rest.length).replaceAll(/\r\n?/g, "\n");
      }
      const lines = text.split("\n");
      rest = (lines.pop() ?? "") + rest;
      const events: string[] = [];
      for (const line of lines) {
        if (line.startsWith("data:")) data.push(line.slice(line.startsWith(" ", 5) ? 6 : 5));
        else if (line === "data") data.push("");
        if (line !== "" || data.length === 0) continue;
        events.push(data.length === 1 ? (data[0] ?? "") : data.join("\n"));
        data = [];
      }
      return events;
    },
  };
}
