import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { withLiteralKeys } from './literal-keys.ts';

/**
 * Leaves out the shapes of the AWS SDK that nothing uses. A client describes all shapes of its service in one module, as arrays with keys
 * such as `{ [_eQN]: 'Min' }`, where `_eQN` is a constant. A computed key may have side effects, so the bundler keeps each shape: 560 kB
 * of EC2's, which a function reads whenever it starts.
 */
export function onlyUsedShapes(): Plugin {
  return {
    name: 'only-used-shapes',
    setup(build) {
      build.onLoad({ filter: /@aws-sdk[\\/].*[\\/]schemas[\\/]schemas_\d+\.js$/ }, ({ path }) => ({
        contents: withLiteralKeys(readFileSync(path, 'utf8')),
      }));
    },
  };
}
