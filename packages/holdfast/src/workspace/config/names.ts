/** Pattern for names in a config, which become parts of tool names, commands and URLs. */
export const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export const nameAdvice =
  "must be 1 to 64 letters, digits, _ or -, beginning with a letter or digit";
