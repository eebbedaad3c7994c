import { BadInputError } from '../../apis/bad-input-error.ts';
import { counted } from '../../apis/counted.ts';
import { podKey } from '../../apis/kubernetes.ts';
import { stateNodes } from '../../core/cluster/state-node.ts';
import { ALL_METHODS } from '../../core/disruption/methods/all-methods.ts';
import { planDisruption } from '../../core/disruption/plan-disruption.ts';
import type { Explanation } from '../../core/explain/explanation.ts';
import { whyNode } from '../../core/explain/why-node.ts';
import { whyPod } from '../../core/explain/why-pod.ts';
import { suggest } from '../../core/suggest.ts';
import type { CliContext } from '../context.ts';
import { type PlannedSnapshot, readPlanned } from '../plan/planned-snapshot.ts';
import { printable } from '../render/render-lines.ts';
import { writeExplanation } from './render-explanation.ts';
import type { WhyFlags, WhyKind } from './why-commands.ts';

interface Asked {
  readonly kind: WhyKind;
  readonly name: string;
}

/** Runs `kerf why`. *Errors:* BadInputError if the snapshot has no object of this name. */
export function runWhy(context: CliContext, flags: WhyFlags, asked: Asked): void {
  const planned = readPlanned(context, { flags, more: [] });
  if (planned === undefined) return;
  context.process.stderr.write(planned.notes.map((note) => `${printable(note)}\n`).join(''));
  const explanation =
    asked.kind === 'pod'
      ? explainPod(planned, `${flags.namespace ?? 'default'}/${asked.name}`)
      : explainNode(planned, asked);
  writeExplanation(context, flags, explanation);
}

function explainPod({ snapshot, nowMs }: PlannedSnapshot, key: string): Explanation {
  const pods = [...snapshot.pods, ...(snapshot.bufferPods ?? [])];
  const pod = pods.find((one) => podKey(one) === key);
  if (pod !== undefined) return whyPod(snapshot, pod, nowMs);
  const elsewhere = pods.find((one) => podKey(one).split('/')[1] === key.split('/')[1]);
  if (elsewhere !== undefined)
    throw new BadInputError(
      `no pod ${key}: there is ${podKey(elsewhere)}; write -n ${podKey(elsewhere).split('/')[0]}`,
    );
  throw notFound('pod', key, pods.map(podKey));
}

function explainNode({ snapshot, nowMs }: PlannedSnapshot, { kind, name }: Asked): Explanation {
  const nodes = stateNodes(snapshot);
  const nameOf = (one: (typeof nodes)[number]): string | undefined =>
    kind === 'node' ? one.node?.metadata.name : one.nodeClaim?.name;
  const stateNode = nodes.find((one) => nameOf(one) === name);
  if (stateNode === undefined)
    throw notFound(
      kind,
      name,
      nodes.flatMap((one) => nameOf(one) ?? []),
    );
  return whyNode(stateNode, { snapshot, plan: planDisruption(ALL_METHODS, snapshot, nowMs), nowMs });
}

function notFound(kind: WhyKind, name: string, known: readonly string[]): BadInputError {
  const nearest = suggest(name, known);
  const hint = nearest === undefined ? `it has ${counted(known.length, `other ${kind}`)}` : `did you mean ${nearest}?`;
  return new BadInputError(`the snapshot has no ${kind} ${name}: ${hint}`);
}
