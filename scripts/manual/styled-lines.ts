/** What a terminal shows, as `tmux capture-pane -e` prints it: text with the escape sequences of colors. */

export interface Span {
  readonly text: string;
  /** The name of one of the sixteen colors. @default that of the terminal */
  readonly color?: string;
  readonly bold: boolean;
  readonly dim: boolean;
}

const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

interface Style {
  color: string | undefined;
  bold: boolean;
  dim: boolean;
}

/** *Shape:* the spans of each line. Sequences that are not of colors are left out. */
export function styledLines(text: string): readonly (readonly Span[])[] {
  const style: Style = { color: undefined, bold: false, dim: false };
  return text.split('\n').map((line) => {
    const spans: Span[] = [];
    for (const part of line.split(/(?=\p{Cc}\[[\d;]*m)/u)) {
      const [sequence = '', codes] = /^\p{Cc}\[([\d;]*)m/u.exec(part) ?? [];
      const plain = part.slice(sequence.length);
      if (codes !== undefined) for (const code of codes.split(';')) apply(style, Number(code));
      if (plain !== '') spans.push({ text: plain, bold: style.bold, dim: style.dim, ...colorOf(style) });
    }
    return spans;
  });
}

function colorOf({ color }: Style): { readonly color?: string } {
  return color === undefined ? {} : { color };
}

function apply(style: Style, code: number): void {
  if (code === 0) Object.assign(style, { color: undefined, bold: false, dim: false });
  else if (code === 1) style.bold = true;
  else if (code === 2) style.dim = true;
  else if (code === 22) Object.assign(style, { bold: false, dim: false });
  else if (code === 39) style.color = undefined;
  else if (code >= 30 && code <= 37) style.color = COLORS[code - 30];
  else if (code >= 90 && code <= 97) style.color = COLORS[code - 90];
}
