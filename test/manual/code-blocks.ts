/** The code blocks of a document, fenced or indented. */

export interface CodeBlock {
  /** The line of its first line. */
  readonly line: number;
  /** The word after the fence. @default '' for an indented block */
  readonly language: string;
  /** The name of the file that a reader saves it as: `file=NAME` after the language. */
  readonly file?: string;
  readonly text: string;
}

const FENCE = /^```(\S*)(?: file=(\S+))?\s*$/;

/** *Shape:* in the order of the document. An indented block follows an empty line, and is not a part of a list. */
export function codeBlocksOf(markdown: string): readonly CodeBlock[] {
  const lines = markdown.split('\n');
  const blocks: CodeBlock[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const fence = FENCE.exec(line);
    if (fence !== null) {
      const end = lines.indexOf('```', at + 1);
      const [, language = '', file] = fence;
      const text = lines.slice(at + 1, end).join('\n');
      blocks.push({ line: at + 2, language, text, ...(file !== undefined && { file }) });
      at = end;
    } else if (line.startsWith('    ') && (lines[at - 1] ?? '') === '') {
      const next = lines.findIndex((one, index) => index > at && one !== '' && !one.startsWith('    '));
      const end = next === -1 ? lines.length : next;
      const text = lines
        .slice(at, end)
        .map((one) => one.slice(4))
        .join('\n');
      blocks.push({ line: at + 1, language: '', text: text.trimEnd() });
      at = end - 1;
    }
  }
  return blocks;
}

/** What a reader types: the lines of `sh`, those after `$ ` of `console`, and those of indented blocks that begin with a program. */
export function commandsOf({ language, text }: CodeBlock): readonly string[] {
  const lines = joined(text).split('\n');
  if (language === 'console') return lines.flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));
  if (language !== 'sh' && language !== '') return [];
  return lines.map((line) => line.trim()).filter((line) => /^(?:source <\()?(?:npm|npx|kerf|kubectl|aws) /.test(line));
}

/** Without the line breaks after a backslash. */
function joined(text: string): string {
  return text.replaceAll(/\s*\\\n\s*/g, ' ');
}
