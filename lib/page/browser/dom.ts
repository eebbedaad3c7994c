/** The element of the page with this id. *Errors:* if the page has none of this class. */
export function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new TypeError(`the page has no ${kind.name} "${id}"`);
  return found;
}

export function button(id: string): HTMLButtonElement {
  return element(id, HTMLButtonElement);
}

/** Text of a manifest is only ever set as text, never as HTML. */
export function setText(id: string, text: string): void {
  const found = element(id, HTMLElement);
  if (found.textContent !== text) found.textContent = text;
}

export function create<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  text: string,
  className = '',
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className !== '') made.className = className;
  return made;
}

/** Fits a canvas to its size on the page. *Shape:* a context in CSS pixels, and the width; undefined if it is not shown. */
export function prepared(
  canvas: HTMLCanvasElement,
  heightPx: number,
): { readonly pen: CanvasRenderingContext2D; readonly width: number } | undefined {
  const pen = canvas.getContext('2d');
  const width = canvas.clientWidth;
  if (pen === null || width === 0) return undefined;
  const scale = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * scale), Math.round(heightPx * scale)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.height = `${heightPx}px`;
  }
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, heightPx);
  return { pen, width };
}
