import { readFileSync, writeFileSync } from 'node:fs';
import { variable } from './api-client.ts';

/** Writes a kubeconfig of the administrator, with the context `rig`. */
export function writeKubeconfig(file: string): void {
  const certificate = readFileSync(variable('KERF_CLUSTER_CA')).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'rig',
    contexts: [{ name: 'rig', context: { cluster: 'rig', user: 'admin' } }],
    clusters: [
      {
        name: 'rig',
        cluster: { server: variable('KERF_CLUSTER_ENDPOINT'), 'certificate-authority-data': certificate },
      },
    ],
    users: [{ name: 'admin', user: { token: variable('KERF_CLUSTER_TOKEN') } }],
  };
  writeFileSync(file, JSON.stringify(config));
}
