/** The rows of behaviour, read from the tables of `docs/behaviour`. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface BehaviourRow {
  readonly row: string;
  readonly name: string;
  readonly verdict: string;
  /** Its link, from the folder `docs`: `behaviour/b-scheduling.md#b12`. */
  readonly link: string;
}

export interface BehaviourSection {
  /** `B.3 Inputs` */
  readonly title: string;
  readonly rows: readonly BehaviourRow[];
}

/** In the order of the documents. *Errors:* an Error for a line of a table that is not a row. */
export function behaviourSections(root: string): readonly BehaviourSection[] {
  const folder = join(root, 'docs');
  return globSync('behaviour/*.md', { cwd: folder })
    .toSorted()
    .flatMap((file) => sectionsOf(readFileSync(join(folder, file), 'utf8'), file));
}

/** The rows with the form `| <a id="b12"></a>B12 Order | Karpenter | same | Kerf |`, by heading. */
export function sectionsOf(text: string, file: string): readonly BehaviourSection[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n');
      const cells = lines.filter((line) => line.startsWith('| ')).slice(1);
      return { title, rows: cells.map((line) => rowOf(line, file)) };
    });
}

function rowOf(line: string, file: string): BehaviourRow {
  const found = /^\| <a id="([a-h\d-]+)"><\/a>([A-H][\d.]+) ([^|]+) \| [^|]+ \| ([^|]+) \| [^|]+ \|$/.exec(line);
  const [, anchor = '', row = '', name = '', verdict = ''] = found ?? [];
  if (anchor === '' || anchor !== row.toLowerCase().replace('.', '-')) {
    throw new Error(`docs/${file}: not a row of behaviour: ${line}; write | <a id="b12"></a>B12 Name | … | same | … |`);
  }
  return { row, name, verdict, link: `${file}#${anchor}` };
}
