import { wrapText } from './wrap-text.ts';

/** The maximum number of rows of a list in text output; JSON output has all. */
export const MAX_ROWS = 20;

export function andMore(count: number, noun: string, nouns = `${noun}s`): readonly string[] {
  return count <= 0 ? [] : [`  and ${count} more ${count === 1 ? noun : nouns} (--output json has all)`];
}

/** The text wrapped to the width, with each line indented by this many spaces. */
export function indented(text: string, spaces: number, width: number): readonly string[] {
  return wrapText(text, Math.max(width - spaces, 40)).map((line) => ' '.repeat(spaces) + line);
}

/** Replaces control characters, because names from files could otherwise control the terminal. */
export function printable(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\uFFFD');
}
