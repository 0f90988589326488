/** Buffers output of a running tool until a reader takes it. */
export interface Progress {
  push(text: string): void;
  end(): void;
  texts(): AsyncGenerator<string>;
}

/** Maximum number of buffered characters for a slow reader. The tool result contains the full text. */
const maxKept = 64 * 1024;

export function createProgress(): Progress {
  let kept = "";
  let ended = false;
  let wake = Promise.withResolvers<void>();
  return {
    push: (text) => {
      kept = (kept + text).slice(-maxKept);
      wake.resolve();
    },
    end: () => {
      ended = true;
      wake.resolve();
    },
    async *texts() {
      for (;;) {
        await wake.promise;
        wake = Promise.withResolvers<void>();
        const text = kept;
        kept = "";
        if (text !== "") yield text;
        if (ended && kept === "") return;
        if (ended) wake.resolve();
      }
    },
  };
}
