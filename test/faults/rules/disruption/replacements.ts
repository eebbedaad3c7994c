import { SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { INITIALIZED } from '../../../../lib/apis/labels.ts';
import { DISRUPTED_TAINT, sameTaint } from '../../../../lib/apis/taints.ts';
import {
  commandFromStored,
  type DisruptionCommand,
  isReplacing,
} from '../../../../lib/core/model/disruption-command.ts';
import { isDisruptionCommand } from '../../../../lib/providers/dynamodb/stored-shapes.ts';
import type { RuleOf } from '../../rule.ts';
import { nodeOf } from '../nodes.ts';
import { COMMAND_NEEDS, progressOf } from '../progress/duty.ts';

const REPLACED_BY = ', replaced by ';

/** No node is removed by a command before all of its replacements are initialized (E34). */
export const replacedNodesStayUntilThen: RuleOf = (watched) => {
  const { violate, records } = watched;
  return {
    recordWritten(after, before) {
      const names = after.deletion?.message.split(REPLACED_BY)[1]?.split(', ') ?? [];
      if (before === undefined || before.deletion !== undefined) return;
      for (const name of names) {
        const record = records.get(name);
        const node = record && nodeOf(watched, record);
        // A replacement may disappear while an open decision is carried out.
        const isGone = record === undefined || node === undefined || record.deletion !== undefined;
        if (!isGone && node.metadata.labels?.[INITIALIZED] !== 'true')
          violate(
            'replaced nodes stay until their replacements are initialized',
            `${after.name}: ${name} is not initialized`,
          );
      }
    },
  };
};

/** A replacement is created only after its command was continued: a proposal is decided again, with the same names (E33). */
export const replacementsFollowTheirCommand: RuleOf = ({ violate }) => ({
  createdForProposal: ({ name, command }) =>
    violate('a replacement is created after its command was continued', `NodeClaim ${name} of command ${command}`),
});

/** By the next run of disruption, or the run of the next minute if a wake is lost. */
const UNTAINTED_MS = 95 * SECOND_MS;

/** A node has the taint of a disruption only while a command replaces it or it is being deleted (E1). */
export const taintsHaveAReason: RuleOf = (watched) => {
  const commands = new Map<string, DisruptionCommand>();
  const duties = progressOf(watched, () => {
    const replaced = new Set(
      [...commands.values()].filter(isReplacing).flatMap(({ candidates }) => candidates.map((one) => one.nodeClaim)),
    );
    return [...watched.records.values()].flatMap((record) => {
      if ((record.deletion ?? record.releasedAtMs) !== undefined || replaced.has(record.name)) return [];
      const node = nodeOf(watched, record);
      const isTainted = node?.spec?.taints?.some((taint) => sameTaint(taint, DISRUPTED_TAINT)) === true;
      if (!isTainted || node.metadata.deletionTimestamp !== undefined) return [];
      return [{ name: `node ${node.metadata.name} loses the taint`, withinMs: UNTAINTED_MS, needs: COMMAND_NEEDS }];
    });
  });
  return {
    ...duties,
    replaced() {
      commands.clear();
      void watched
        .ports()
        .store.listCommands('simulated')
        .then((stored) => stored.forEach((one) => commands.set(one.id, one)));
    },
    call({ method, args: [, command] }) {
      if (method === 'store.endCommand') commands.delete(String(command));
      if (method !== 'store.startCommand' && method !== 'store.continueCommand') return;
      if (!isDisruptionCommand(command)) return;
      const given = commandFromStored(command);
      if (commands.has(given.id) === (method === 'store.continueCommand')) commands.set(given.id, given);
    },
  };
};

/** A command that has ended does not come back: its nodes would get their taints again. */
export const endedCommandsStayEnded: RuleOf = ({ violate }) => ({
  commandRevived: (id) => violate('a command that has ended stays ended', `command ${id} was written again`),
});
