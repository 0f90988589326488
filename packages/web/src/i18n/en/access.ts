/** Strings for notifications, access tokens, devices and webhooks in the settings. */
export const access = {
  notifications: {
    push: "Push messages",
    pushText:
      "Devices in this list are notified while the page is closed. A message contains no text of a session, only that something waits for you.",
    turnOn: "Turn on for this browser",
    turnOff: "Turn off",
    test: "Send a test",
    tested: "The test message was sent",
    testFailed: (values: { problem: string }) =>
      `The test message could not be sent: ${values.problem}`,
    none: "No device receives push messages.",
    problems: {
      insecure:
        "The browser allows push messages only on a page with an https address. Give the server an https address, and start it with --public-url.",
      unsupported:
        "This browser cannot receive push messages. On an iPhone or iPad, add the page to the home screen first.",
    },
    quietHours: "Quiet hours",
    quietText: "Do not notify me at these times",
    from: "From",
    to: "To",
    muted: "Muted sessions",
    unmute: "Unmute",
    mute: "Mute notifications",
    mutedToast: "This session causes no more notifications for you",
  },
};
