/** Runs the commands of a page of the manual as a reader does: one code block after the other, in a folder, by bash. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { codeBlocksOf } from './code-blocks.ts';

const DOCS = join(import.meta.dirname, '../../docs');

export interface Section {
  /** The heading above the block, such as `Step 2: stop Cluster Autoscaler`. */
  readonly heading: string;
  readonly line: number;
  /** The commands of one block. */
  readonly text: string;
}

export interface Reader {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What the reader writes for the words in capitals: `GROUP`. */
  readonly names: Readonly<Record<string, string>>;
}

/** The blocks of commands of a page, each with its heading. *Shape:* in the order of the page. */
function sectionsOf(page: string): readonly Section[] {
  const text = readFileSync(join(DOCS, page), 'utf8');
  const lines = text.split('\n');
  return codeBlocksOf(text)
    .filter(({ language }) => language === 'sh')
    .map(({ line, text: commands }) => {
      const heading = lines.slice(0, line).findLast((one) => /^#{2,3} /.test(one));
      return { heading: heading?.replace(/^#+ /, '') ?? '', line, text: commands };
    });
}

/** The file that a page has, with the names of the reader. *Errors:* where the page has no such file. */
export function fileOf(page: string, name: string): string {
  const block = codeBlocksOf(readFileSync(join(DOCS, page), 'utf8')).find(({ file }) => file === name);
  if (block === undefined) throw new Error(`docs/${page} has no file ${name}`);
  return `${block.text}\n`;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The first command that fails ends the block. */
async function runBlock(text: string, { folder, environment, names }: Reader): Promise<Ran> {
  const script = `set -euo pipefail\n${named(text, names)}\n`;
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const options = { cwd: folder, env: environment, timeout: 120_000, maxBuffer: 50_000_000 };
  execFile('bash', ['-c', script], options, (error, stdout, stderr) => {
    const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 124;
    resolve({ code, stdout, stderr });
  });
  return await promise;
}

/** The text with the words of the reader. */
function named(text: string, names: Reader['names']): string {
  return text.replaceAll(/\b[A-Z][A-Z_]+\b/g, (word) => names[word] ?? word);
}

export interface FollowedPage {
  /** The blocks that were not run yet. */
  readonly left: readonly Section[];
  /** Runs the next block, whose heading the test names. It must succeed. */
  readonly next: (heading: RegExp) => Promise<Ran>;
  /** Passes the next block over; the test says why. */
  readonly skip: (heading: RegExp, words: string) => void;
  /** Runs a block a second time: after what undid it. */
  readonly again: (section: Section | undefined) => Promise<Ran>;
}

export function followPage(page: string, reader: () => Reader): FollowedPage {
  const left = [...sectionsOf(page)];
  const take = (heading: RegExp): Section | undefined => {
    const section = left.shift();
    expect(section?.heading, `the block at line ${String(section?.line)}`).toMatch(heading);
    return section;
  };
  const again = async (section: Section | undefined): Promise<Ran> => {
    const text = section?.text ?? '';
    const ran = await runBlock(text, reader());
    expect(ran, `docs/${page}:${String(section?.line)}\n${named(text, reader().names)}\n${ran.stderr}`).toMatchObject({
      code: 0,
    });
    return ran;
  };
  return {
    left,
    next: async (heading) => await again(take(heading)),
    skip: (heading, words) => expect(take(heading)?.text).toContain(words),
    again,
  };
}
