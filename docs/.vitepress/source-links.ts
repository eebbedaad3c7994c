/**
 * Links of the documents to files of the repository that are not pages. The repository has these files; the manual, which may be
 * read without it, shows only their names.
 */

interface Token {
  readonly attrGet: (name: string) => string | null;
  readonly attrSet: (name: string, value: string) => void;
  readonly attrs: unknown;
}

type Render = (tokens: Token[], index: number, ...others: readonly unknown[]) => string;

interface Markdown {
  readonly renderer: { readonly rules: Record<string, Render | undefined> };
}

/** A relative link that leaves the folder of the documents, and not a picture of them. */
export function leavesManual(href: string, document: string): boolean {
  if (/^[a-z]+:|^[#/]/.test(href)) return false;
  const depth = document.split('/').length - 1;
  const up = /^(?:\.\.\/)+/.exec(href)?.[0].length ?? 0;
  return up / 3 > depth || !/\.(?:md|png|svg|html)(?:#|$)/.test(href);
}

/** A plugin of markdown-it that takes the address from such links. */
export function namesOnly(markdown: Markdown): void {
  const { rules } = markdown.renderer;
  const before = rules['link_open'];
  rules['link_open'] = (tokens, index, ...others) => {
    const env: unknown = others[1];
    const token = tokens[index];
    const href = token?.attrGet('href') ?? '';
    if (token !== undefined && leavesManual(href, documentOf(env))) return '<span class="source">';
    return before === undefined ? '' : before(tokens, index, ...others);
  };
  const close = rules['link_close'];
  rules['link_close'] = (tokens, index, ...others) => {
    const open = tokens.slice(0, index).findLast(({ attrs }) => attrs !== null);
    const href = open?.attrGet('href') ?? '';
    if (leavesManual(href, documentOf(others[1]))) return '</span>';
    return close === undefined ? '</a>' : close(tokens, index, ...others);
  };
}

function documentOf(env: unknown): string {
  return typeof env === 'object' && env !== null && 'relativePath' in env && typeof env.relativePath === 'string'
    ? env.relativePath
    : '';
}
