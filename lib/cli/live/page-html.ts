import { createHash } from 'node:crypto';
import type { PageData } from '../../page/fleet/frame.ts';
import { MARKUP } from '../../page/markup.ts';

/** The script and the style of the page. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/** One file without any other: the browser sends no request for it, but to the server of a live simulation. */
export function pageHtml({ script, style }: PageAssets, data: PageData): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy({ script, style }, data.live)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<link rel="icon" href="data:,">',
    `<title>Kerf ${data.recorded === true ? 'records' : 'simulation'}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    MARKUP,
    `<script type="application/json" id="data">${scriptSafe(JSON.stringify(data))}</script>`,
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Only this script and this style run. Nothing is loaded, and only a live page connects to its own server. */
function contentSecurityPolicy({ script, style }: PageAssets, live: boolean): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    `connect-src ${live ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** JSON in which no text can end the script element, or begin a comment. */
function scriptSafe(json: string): string {
  return json.replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
