/** Strings for notifications, access tokens, devices, webhooks and rules in the settings. */
export const access = {
  access: {
    signOut: "Sign out",
    signOutTitle: (values: { name: string }) => `Sign out ${values.name}?`,
    signOutText:
      "To sign in again, the browser needs a new link. It also stops receiving push messages.",
    otherDevice: "Sign in another device",
    linkText:
      "Scan the code with the camera of the other device, or open the link there. The link works once within five minutes, and gives the device the same rights as this browser.",
    linkLocal:
      "Only the server's own machine can open this address. To use another device, start the server with --public-url or --host.",
    qr: "QR code of the link",
    tokens: "Programs with an access token",
    browsers: "Browsers",
    none: "None",
    lastUsed: "Last used",
    never: "never",
    directories: "Directories",
    revoke: "Revoke",
    revokeTitle: (values: { name: string }) => `Revoke ${values.name}?`,
    revokeText:
      "Programs that use this access token lose access at once. Browsers that signed in with its links are signed out, and its unused links stop working.",
    name: "Name of a new access token",
    role: "Role",
    roles: {
      observe: "observe: read sessions",
      propose: "propose: send and cancel prompts",
      prompt: "prompt: send prompts, answer requests and change queues",
      admin: "admin: full access",
    },
    directory: "Only this directory (optional)",
    create: "Create an access token",
    secret: "Copy the secret now. It is not shown again.",
  },
  webhooks: {
    text: "Holdfast sends a signed HTTP request to the webhook's address for each chosen event.",
    none: "There are no webhooks.",
    test: "Send a test",
    tested: "The webhook accepted the test",
    testFailed: (values: { problem: string | null }) =>
      `The test failed: ${values.problem ?? "no reason given"}`,
    remove: "Remove",
    url: "Address of a new webhook",
    events: "Events",
    types: {
      notice: "events that notify people",
      "prompt.settled": "a prompt has finished",
      "ask.opened": "a request waits for an answer",
      "ask.closed": "a request was answered",
    },
    create: "Add a webhook",
    secret:
      "Copy the secret now. Holdfast signs every request to the webhook with it, and does not show it again.",
  },
  rules: {
    text: "These rules were saved with answers to permission requests. They apply to all sessions in this directory.",
    none: "No rules are remembered for this directory.",
    revoke: "Revoke",
    effects: { allow: "Allow", ask: "Ask", deny: "Deny" },
    actions: {
      read: "read",
      change: "change",
      run: "run",
      network: "use the network",
      fetch: "fetch",
      send: "send",
      mcp: "use an MCP tool",
      "*": "everything",
    },
  },
  imports: {
    title: "Import a session",
    text: "Choose a file that was saved with “Export as JSON” in the menu of a session.",
    choose: "Choose a file…",
    imported: "The session was imported",
    failed: (values: { file: string; reason: string }) =>
      `${values.file} was not imported: ${values.reason}`,
  },
  notifications: {
    push: "Push messages",
    pushText:
      "Devices in this list get notifications even when the page is closed. A notification contains no text from a session, only whether a session needs you, has finished or has failed.",
    turnOn: "Turn on for this browser",
    turnOff: "Turn off",
    test: "Send a test",
    tested: "The test message was sent",
    testFailed: (values: { problem: string }) =>
      `The test message could not be sent: ${values.problem}`,
    none: "No device receives push messages.",
    denied:
      "The browser does not allow this page to notify you. Allow notifications in the browser's settings for this page, then try again.",
    noPushService: (values: { seconds: number }) => `no answer within ${values.seconds} seconds`,
    notRegistered: (values: { problem: string }) =>
      `The browser could not register with its push service (${values.problem}). Check that this device is connected to the internet and that the browser allows push messages, then try again.`,
    problems: {
      insecure:
        "Browsers allow push messages only on https pages. Give the server an https address, and start it with --public-url.",
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
    mutedToast: "You get no more notifications from this session",
  },
};
