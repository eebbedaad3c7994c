const CAPACITY_NAMES = ['spot', 'on-demand', 'reserved'] as const;

/** The colours of the style sheet, for canvases. */
export interface Theme {
  readonly text: string;
  readonly muted: string;
  readonly raised: string;
  readonly line: string;
  readonly track: string;
  readonly focus: string;
  readonly cost: string;
  readonly bound: string;
  readonly bad: string;
  readonly capacity: (type: string) => string;
}

const isDark = window.matchMedia('(prefers-color-scheme: dark)');
let known: Theme | undefined;

/** Calls the listener when the user changes between light and dark. */
export function onThemeChange(listener: () => void): void {
  isDark.addEventListener('change', () => {
    known = undefined;
    listener();
  });
}

export function theme(): Theme {
  if (known !== undefined) return known;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const capacity = new Map<string, string>(CAPACITY_NAMES.map((name) => [name, colour(name)]));
  const muted = colour('muted');
  known = {
    text: colour('text'),
    muted,
    raised: colour('raised'),
    line: colour('line'),
    track: colour('track'),
    focus: colour('focus'),
    cost: colour('cost'),
    bound: colour('bound'),
    bad: colour('bad'),
    capacity: (type) => capacity.get(type) ?? muted,
  };
  return known;
}
