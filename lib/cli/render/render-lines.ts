import { wrapText } from './wrap-text.ts';

/** Rows of one list that a person reads; all are in the JSON. */
export const MAX_ROWS = 20;

export function andMore(count: number, noun: string, nouns = `${noun}s`): readonly string[] {
  return count <= 0 ? [] : [`  and ${count} more ${count === 1 ? noun : nouns} (--output json has all)`];
}

/** The text as lines of the width, all of them behind so many spaces. */
export function indented(text: string, spaces: number, width: number): readonly string[] {
  return wrapText(text, Math.max(width - spaces, 40)).map((line) => ' '.repeat(spaces) + line);
}

/** Names come from a file that anybody may have written: what would steer the terminal is shown as a sign. */
export function printable(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\uFFFD');
}
