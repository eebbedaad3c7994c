import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * The code of `functions/NAME/handler.ts`, bundled when the stack is synthesized. `data` is a folder of the repository that is deployed
 * beside the bundle, under the same name, so that starting a function does not mean parsing it. *Cost:* a process of about a second.
 */
export function functionCode(name: string, data?: string): Code {
  const folder = `functions/${name}`;
  return Code.fromAsset(join(ROOT, folder), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Nothing runs in a container: the bundler is a package of Kerf.
      image: DockerImage.fromRegistry('scratch'),
      local: {
        tryBundle: (output) => {
          bundle(folder, output);
          if (data !== undefined) cpSync(join(ROOT, data), join(output, data), { recursive: true });
          return true;
        },
      },
    },
  });
}

function bundle(folder: string, output: string): void {
  const script = join(import.meta.dirname, 'bundle-function.ts');
  const { status } = spawnSync(process.execPath, [script, folder, output], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`Cannot bundle ${folder}: its errors are above`);
}
