/** The functions that reconcile a cluster, with their bundles and limits, from the synthesized template. */
import { CLUSTER_FUNCTIONS } from '../../lib/operator/options/options.ts';
import { bundle, bundles, propertiesOf } from '../../test/stack/assembly.ts';
import type { DeployedFunction } from './measured-function.ts';

/** *Cost:* a synthesis with bundles, some seconds. */
export function deployedFunctions(): { readonly functions: readonly DeployedFunction[]; readonly remove: () => void } {
  const assembly = bundle([{ name: 'simulated' }]);
  const files = bundles(assembly);
  const limits = propertiesOf(assembly.template, 'AWS::Lambda::Function');
  const functions = CLUSTER_FUNCTIONS.map((name): DeployedFunction => {
    const found = limits.find(({ Description }) => Description === `Kerf ${name}`);
    const file = files[name];
    if (found === undefined || file === undefined) throw new Error(`the template has no function ${name}`);
    return { name, bundle: file, memoryMib: Number(found['MemorySize']), timeoutMs: Number(found['Timeout']) * 1_000 };
  });
  return { functions, remove: assembly.remove };
}
