import { SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import {
  commandFromStored,
  isReplacing,
  type ReplacingCommand,
} from '../../../../lib/core/model/disruption-command.ts';
import { isDisruptionCommand } from '../../../../lib/providers/dynamodb/stored-shapes.ts';
import type { RuleOf } from '../../rule.ts';
import { COMMAND_NEEDS, progressOf } from '../progress/duty.ts';

/** By the next run of disruption, or the run of the next minute if a wake is lost. */
const ENDS_MS = 95 * SECOND_MS;

const USELESS: ReadonlySet<string> = new Set(['empty', 'underutilized']);

const RULE = 'a replacement stays while its command waits';

/**
 * A replacement has no pods until the nodes are drained that it replaces, and it is not removed as useless before (E34). If it is deleted for
 * another reason, its command ends: it does not wait ten minutes for a node that will not come (E35).
 */
export const replacementsAreAwaited: RuleOf = (watched) => {
  const { records, violate } = watched;
  const proposed = new Set<string>();
  const commands = new Map<string, ReplacingCommand>();
  const duties = progressOf(watched, () =>
    [...commands.values()].flatMap(({ id, replacementClaims }) => {
      const lost = replacementClaims.find((name) => records.get(name)?.deletion !== undefined);
      if (lost === undefined) return [];
      return [{ name: `disruption ${id} ends without ${lost}`, withinMs: ENDS_MS, needs: COMMAND_NEEDS }];
    }),
  );
  return {
    ...duties,
    replaced() {
      proposed.clear();
      commands.clear();
    },
    recordWritten({ name, deletion }, before) {
      if (before === undefined || before.deletion !== undefined || !USELESS.has(deletion?.reason ?? '')) return;
      for (const { id, replacementClaims } of commands.values())
        if (replacementClaims.includes(name))
          violate(RULE, `NodeClaim ${name} of disruption ${id}: ${deletion?.reason}`);
    },
    call({ method, args: [, command] }) {
      if (method === 'store.endCommand') {
        proposed.delete(String(command));
        commands.delete(String(command));
      }
      if (method !== 'store.startCommand' && method !== 'store.continueCommand') return;
      if (!isDisruptionCommand(command)) return;
      const given = commandFromStored(command);
      if (!isReplacing(given)) proposed.add(given.id);
      else if (proposed.has(given.id)) commands.set(given.id, given);
    },
  };
};
