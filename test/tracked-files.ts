import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TrackedFile {
  readonly path: string;
  readonly text: string;
}

/** The files of the project that git has, or would have with the next commit; not those that are deleted. */
export function trackedFiles(root: string): readonly TrackedFile[] {
  return execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((path) => /\.(ts|md)$/.test(path))
    .flatMap((path) => {
      try {
        return [{ path, text: readFileSync(join(root, path), 'utf8') }];
      } catch {
        return [];
      }
    });
}
