/** A process that reads the cluster on request. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ControlPlane } from '../../scripts/control-plane.ts';
import type { Look } from './look.ts';

const MEASURE = join(import.meta.dirname, 'measure-cluster.ts');

export interface Looker {
  /** *Errors:* an Error if the process ended; its error output is on stderr. */
  readonly look: () => Promise<Look>;
  readonly end: () => Promise<void>;
}

/** Resolves after the process has loaded its modules, as a function has before its first event. */
export async function startLooker(kind: 'early' | 'whole', to: ControlPlane): Promise<Looker> {
  const child = spawn(process.execPath, [MEASURE, kind], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      KERF_CLUSTER_ENDPOINT: to.endpoint,
      KERF_CLUSTER_CA: to.certificateAuthority,
      KERF_CLUSTER_TOKEN: to.token,
    },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<Look> => {
    const line = await lines.next();
    if (line.done === true) throw new Error('the process that looks has ended');
    const look: Look = JSON.parse(line.value);
    return look;
  };
  await answer();
  return {
    look: async () => {
      child.stdin.write('look\n');
      return await answer();
    },
    end: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
