/** HTML for custom widgets of CloudWatch: no script, one style element, every text escaped. */

export type Theme = 'light' | 'dark';

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

interface Palette {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly track: string;
  readonly spot: string;
  readonly onDemand: string;
  readonly reserved: string;
  readonly bad: string;
  readonly link: string;
}

/** The console is white or dark blue behind the widgets. All colors have enough contrast with it for text. */
export const PALETTES: Readonly<Record<Theme, Palette>> = {
  light: {
    text: '#16191f',
    muted: '#545b64',
    line: '#d5dbdb',
    track: '#e1e5e6',
    spot: '#0b7a70',
    onDemand: '#2f55c4',
    reserved: '#94540a',
    bad: '#b71c1c',
    link: '#0353a4',
  },
  dark: {
    text: '#e9ebed',
    muted: '#a7b0bd',
    line: '#414d5c',
    track: '#3a4553',
    spot: '#35c4b4',
    onDemand: '#8ea8ff',
    reserved: '#e3a651',
    bad: '#ff8d85',
    link: '#66b2ff',
  },
};

/** A whole widget. */
export function widget(theme: Theme, body: readonly string[], styles: readonly string[] = []): string {
  const { text, muted, line, link } = PALETTES[theme];
  const rules = [
    `.kerf{font:13px/1.4 system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;color:${text}}`,
    `.kerf .muted{color:${muted}}`,
    '.kerf p{margin:0 0 8px}',
    `.kerf a{color:${link}}`,
    '.kerf table{border-collapse:collapse;width:100%}',
    `.kerf th{text-align:left;font-weight:600;color:${muted};border-bottom:1px solid ${line};padding:3px 10px 3px 0}`,
    `.kerf td{vertical-align:top;border-bottom:1px solid ${line};padding:4px 10px 4px 0}`,
    '.kerf .number{text-align:right;white-space:nowrap}',
    '.kerf .nowrap{white-space:nowrap}',
    ...styles,
  ];
  return `<div class="cwdb-no-default-styles kerf"><style>${rules.join('')}</style>${body.join('')}</div>`;
}

/** A sentence instead of a picture. */
export function notice(theme: Theme, text: string): string {
  return widget(theme, [`<p>${escaped(text)}</p>`]);
}
