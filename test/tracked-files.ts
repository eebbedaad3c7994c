import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';

export interface TrackedFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The paths of the project's files, as git has them. What lies in the checkout and is not added is not the project's.
 * *Shape:* every path outside build folders where the folder is not a git checkout, as after unpacking an archive.
 */
export function trackedPaths(root: string): readonly string[] {
  const { status, stdout } = spawnSync('git', ['ls-files', '-z', '--cached'], { cwd: root, encoding: 'utf8' });
  const paths = status === 0 ? stdout.split('\0').filter((path) => path !== '') : [];
  return paths.length > 0 ? paths : pathsBelow(root);
}

const NOT_OURS = new Set(['.git', 'node_modules', 'cdk.out', 'coverage', '.cache']);

function pathsBelow(root: string): readonly string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter(({ name }) => !NOT_OURS.has(name))
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name];
      return readdirSync(join(root, entry.name), { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map(({ parentPath, name }) => posix.join(relative(root, parentPath), name));
    });
}

/** The project's files whose paths match, without those that are deleted and not committed. */
export function trackedFiles(root: string, paths: RegExp): readonly TrackedFile[] {
  return trackedPaths(root)
    .filter((path) => paths.test(path))
    .flatMap((path) => {
      try {
        return [{ path, text: readFileSync(join(root, path), 'utf8') }];
      } catch {
        return [];
      }
    });
}
