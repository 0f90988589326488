/** Strings of the guided demo. The demo agent prints the strings in `words`; they must contain no semicolon, brace or line break. */
export const tour = {
  tour: {
    start: "Watch a crash and its recovery",
    about: "Takes about 30 seconds. The demo agent needs no model, and its file edit is simulated.",
    title: "Demo: a crash and its recovery",
    step: (values: { place: number; count: number }) => `Step ${values.place} of ${values.count}`,
    stages: {
      accepted: {
        title: "Three prompts are stored",
        text: "Each prompt was stored before the server confirmed it. The first prompt runs, and the other two wait in the queue.",
      },
      working: {
        title: "The agent is working",
        text: "Each step is stored before the next one begins. In a moment, the worker that executes this run will stop.",
      },
      crashed: {
        title: "The worker of the run has stopped",
        text: "The worker stopped without any message, like a process that was killed. Nothing happens until the server notices that this run has no worker.",
      },
      resumed: {
        title: "A new worker continues",
        text: "The new worker reads the stored steps and continues after the last one. It does not edit notes.md a second time.",
      },
      queue: {
        title: "The queue continues",
        text: "The queued prompts run in their original order. The crash did not change the queue.",
      },
      done: {
        title: "Nothing was lost",
        text: "All three prompts are finished, each exactly once. The timeline shows the time without a worker as a hatched bar.",
      },
    },
    timeline: "Show the timeline",
    own: "Start your own session",
    words: {
      begin:
        "I am the demo agent. Three prompts were sent at the same time, and this is the first one.",
      before:
        "I have edited notes.md, and the result is stored. Now watch what happens when my worker stops in the middle of the work.",
      after:
        "I am a new worker. The log lists the steps that are done, so I did not edit notes.md again. My work is complete.",
      second: "I am the second prompt. I waited in the queue during the crash.",
      third: "I am the third prompt. Every prompt was answered once, in order.",
    },
  },
};
