import { commandFromStored, isReplacing } from '../../../../lib/core/model/disruption-command.ts';
import { instanceOf, type NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { isDisruptionCommand } from '../../../../lib/providers/dynamodb/stored-shapes.ts';
import type { RuleOf } from '../../rule.ts';
import { replacesEach } from '../../story/replace-each.ts';

interface Consolidation {
  readonly sourceUsdPerHour: number;
  readonly replacements: readonly string[];
}

/** The nodes that consolidation launches cost less together than those that they replace, in whatever zone they are launched (E22). */
export const consolidationSaves: RuleOf = ({ violate, records, simulation, story }) => {
  if (replacesEach(story)) return {};
  const consolidations = new Map<string, Consolidation>();
  const pricesOf = (nodeClaims: readonly string[]): readonly number[] => {
    const ids = new Set(nodeClaims.flatMap((name) => idOf(records.get(name)) ?? []));
    return simulation()
      .ec2.instances()
      .filter(({ id }) => ids.has(id))
      .map(({ priceUsdPerHour }) => priceUsdPerHour);
  };
  return {
    replaced: () => consolidations.clear(),
    call({ method, args: [, command] }) {
      if (method !== 'store.continueCommand' || !isDisruptionCommand(command)) return;
      const given = commandFromStored(command);
      if (!isReplacing(given) || given.reason !== 'Underutilized') return;
      const prices = pricesOf(given.candidates.map(({ nodeClaim }) => nodeClaim));
      if (prices.length < given.candidates.length) return;
      consolidations.set(given.id, { sourceUsdPerHour: sum(prices), replacements: given.replacementClaims });
    },
    recordWritten(after, before) {
      const move = consolidations.get(after.command ?? '');
      if (move === undefined || after.launch.kind !== 'launched' || before?.launch.kind === 'launched') return;
      const prices = pricesOf(move.replacements);
      if (prices.length < move.replacements.length || sum(prices) < move.sourceUsdPerHour) return;
      violate(
        'consolidation launches cheaper nodes',
        `${move.replacements.join(', ')} cost ${sum(prices)} USD an hour, and the nodes that they replace ${move.sourceUsdPerHour}`,
      );
    },
  };
};

function idOf(record: NodeClaimRecord | undefined): string | undefined {
  return record && instanceOf(record)?.id;
}

function sum(prices: readonly number[]): number {
  return prices.reduce((total, price) => total + price, 0);
}
