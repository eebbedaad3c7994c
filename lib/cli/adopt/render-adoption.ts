import { counted } from '../../apis/counted.ts';
import type { Adoption } from '../../controllers/instances/adopt.ts';
import type { AdoptionLine } from '../../core/node-claim/adoption/adoption-plan.ts';
import type { CliContext } from '../context.ts';
import { type CellColumn, formatTableWithin } from '../render/format-table.ts';
import { indented, printable } from '../render/render-lines.ts';

export interface ShownAdoption extends Adoption {
  readonly cluster: string;
  /** How many records were written; undefined where none were to be. */
  readonly adopted: number | undefined;
}

const COLUMNS: readonly CellColumn<AdoptionLine>[] = [
  { title: 'NodeClaim', align: 'left', cell: ({ nodeClaim }) => nodeClaim ?? '-' },
  { title: 'NodePool', align: 'left', cell: ({ nodePool }) => nodePool ?? '-', spare: 5 },
  { title: 'type', align: 'left', cell: ({ instanceType }) => instanceType ?? '-', spare: 3 },
  { title: 'zone', align: 'left', cell: ({ zone }) => zone ?? '-', spare: 2 },
  { title: 'capacity', align: 'left', cell: ({ capacityType }) => capacityType ?? '-', spare: 4 },
  { title: 'instance', align: 'left', cell: ({ instanceId }) => instanceId ?? '-' },
  { title: 'node', align: 'left', cell: ({ node }) => node ?? '-', spare: 1 },
  { title: 'Kerf', align: 'left', cell: wordFor },
];

function wordFor({ outcome }: AdoptionLine): string {
  switch (outcome.kind) {
    case 'adopt':
      return 'takes over';
    case 'known':
      return 'has it';
    case 'left':
      return 'leaves it';
  }
}

const WIDTH = 100;

/** What a person reads: the table, then what is left and why, then what to do next. */
export function renderAdoption(shown: ShownAdoption, { columns }: Pick<CliContext, 'columns'>): string {
  const width = columns ?? WIDTH;
  const lines = [
    ...shown.rivals.flatMap(({ message }) => [...indented(message, 0, width), '']),
    ...shown.unknown.flatMap(({ message }) => indented(message, 0, width)),
    ...(shown.lines.length === 0 ? [] : [...formatTableWithin(COLUMNS, shown.lines, width), '']),
    ...remarks('Left alone', shown.lines.map(whyLeft), width),
    ...remarks('To know', shown.lines.map(worthKnowing), width),
    ...indented(conclusion(shown), 0, width),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

interface Remarks {
  readonly subject: string;
  readonly texts: readonly string[];
}

function whyLeft(line: AdoptionLine): Remarks {
  return { subject: subjectOf(line), texts: line.outcome.kind === 'left' ? [line.outcome.message] : [] };
}

function worthKnowing(line: AdoptionLine): Remarks {
  return { subject: subjectOf(line), texts: line.outcome.kind === 'left' ? [] : line.notes };
}

function subjectOf({ nodeClaim, instanceId }: AdoptionLine): string {
  return nodeClaim ?? instanceId ?? '';
}

function remarks(title: string, all: readonly Remarks[], width: number): readonly string[] {
  const told = all.filter(({ texts }) => texts.length > 0);
  if (told.length === 0) return [];
  const lines = told.flatMap(({ subject, texts }) => [
    `  ${subject}`,
    ...texts.flatMap((text) => indented(text, 4, width)),
  ]);
  return [title, ...lines, ''];
}

function conclusion({ cluster, lines, rivals, unknown, adopted }: ShownAdoption): string {
  const open = lines.filter(({ outcome }) => outcome.kind === 'adopt').length;
  const known = lines.filter(({ outcome }) => outcome.kind === 'known').length;
  const left = lines.length - open - known;
  const rest = `${known} it has already, ${left} it leaves alone`;
  if (adopted !== undefined) {
    return `Kerf took over ${counted(adopted, 'NodeClaim')}; ${rest}. Set shadow to false for ${cluster} and deploy.`;
  }
  const would = `Kerf would take over ${counted(open, 'NodeClaim')}; ${rest}. Nothing was written`;
  if (rivals.length > 0) return `${would}, and nothing is while another autoscaler is active.`;
  return unknown.length > 0
    ? `${would}, and nothing is while it is not known whether another autoscaler is active: let whoever calls look.`
    : `${would}: --apply does it.`;
}

/** What a program reads. */
export function adoptionOutput({ cluster, lines, rivals, unknown, adopted }: ShownAdoption): unknown {
  return {
    cluster,
    applied: adopted !== undefined,
    rivals: rivals.map(({ reason, message, numbers }) => ({ reason, message, numbers })),
    unknown: unknown.map(({ message }) => message),
    claims: lines.map(({ outcome, ...line }) => ({
      ...line,
      outcome: outcome.kind,
      ...(outcome.kind === 'left' ? { reason: outcome.reason, message: outcome.message } : {}),
      ...(outcome.kind === 'adopt' ? { tags: outcome.tags } : {}),
    })),
  };
}
