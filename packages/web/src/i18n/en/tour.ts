/** Strings of the guided demo. `words` are spoken by the demo agent and must contain no semicolon, brace or line end. */
export const tour = {
  tour: {
    start: "Watch a crash and the recovery",
    about: "About 30 seconds. The demo agent needs no model and changes no files.",
    title: "Demo: a crash and the recovery",
    step: (values: { place: number; count: number }) => `Step ${values.place} of ${values.count}`,
    stages: {
      accepted: {
        title: "Three prompts are stored",
        text: "Each prompt was stored before the server confirmed it. The first prompt runs, and the other two wait in the queue.",
      },
      working: {
        title: "The agent works",
        text: "Each step is stored before the next one begins. In a moment, the worker of this run stops.",
      },
      crashed: {
        title: "The worker has stopped",
        text: "The worker reported nothing, like a process that was killed. Nothing happens now, until the server notices that no worker is left.",
      },
      resumed: {
        title: "A new worker continues",
        text: "The new worker read the stored steps and goes on after the last one. The edit of notes.md was not made twice.",
      },
      queue: {
        title: "The queue goes on",
        text: "The queued prompts run in their order. The crash did not change the queue.",
      },
      done: {
        title: "Nothing was lost",
        text: "All three prompts are finished, each exactly once. The timeline shows the time without a worker as a hatched bar.",
      },
    },
    timeline: "Show the timeline",
    own: "Start a session of your own",
    words: {
      begin:
        "I am the demo agent. I work through three prompts that were sent at once. The first one is this one.",
      before:
        "I have edited notes.md, and the result is stored. Now watch what happens when my worker stops in the middle of the work.",
      after:
        "I am a new worker. I have read in the log which steps are done, so I did not edit notes.md again. My work is complete.",
      second: "I am the second prompt. I waited in the queue during the crash.",
      third: "I am the third prompt. Every prompt was answered once, in order.",
    },
  },
};
