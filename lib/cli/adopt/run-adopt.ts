import { type AdoptionPorts, applyAdoption, observeAdoption } from '../../controllers/instances/adopt.ts';
import { checkingOptions } from '../checking-options.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { userPath } from '../shell-context.ts';
import type { AdoptFlags } from './adopt-command.ts';
import { adoptionOutput, renderAdoption } from './render-adoption.ts';

type Connect = (flags: AdoptFlags) => Promise<AdoptionPorts>;

/** Runs `kerf adopt`. */
export async function runAdopt(context: CliContext, flags: AdoptFlags, connect: Connect = connected): Promise<void> {
  const ports = await connect(flags);
  const adoption = await observeAdoption(ports, flags.cluster);
  const isUnknown = flags.apply && adoption.unknown.length > 0;
  const refused = adoption.otherAutoscalers.length > 0 || isUnknown;
  const applies = flags.apply && !refused;
  const done = applies ? await applyAdoption(ports, adoption) : { ...adoption, adopted: undefined, failed: 0 };
  const shown = { ...done, cluster: flags.cluster };
  context.process.stdout.write(
    flags.output === 'json' ? `${JSON.stringify(adoptionOutput(shown), null, 2)}\n` : renderAdoption(shown, context),
  );
  context.process.exitCode = done.failed > 0 ? EXIT.failure : refused ? EXIT.findings : EXIT.fine;
}

/** Loads the SDK clients only when they are needed, because loading takes time. */
async function connected({ kubeconfig, context, ...flags }: AdoptFlags): Promise<AdoptionPorts> {
  const { cluster, table, region, endpoint } = flags;
  const namespaces = flags.namespaces?.split(',');
  const file = kubeconfig === undefined ? undefined : userPath(kubeconfig);
  const choice = file === undefined && context === undefined ? undefined : { file, context };
  const { wireAdoption } = await import('../../operator/wiring/adoption.ts');
  return await checkingOptions(
    async () => await wireAdoption({ cluster, table, region, endpoint, namespaces, kubeconfig: choice }),
  );
}
