import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TrackedFile {
  readonly path: string;
  readonly text: string;
}

/** The files of the project whose paths match, as git has them or would have them with the next commit; not deleted ones. */
export function trackedFiles(root: string, paths: RegExp): readonly TrackedFile[] {
  return execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((path) => paths.test(path))
    .flatMap((path) => {
      try {
        return [{ path, text: readFileSync(join(root, path), 'utf8') }];
      } catch {
        return [];
      }
    });
}
