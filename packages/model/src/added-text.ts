/** Returns the text that a result adds to the last answer, such as a note that the answer was cut off. */
export function addedText(answer: string, result: string): string {
  return answer !== "" && result.startsWith(answer) ? result.slice(answer.length).trim() : "";
}
