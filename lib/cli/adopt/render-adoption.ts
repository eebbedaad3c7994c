import { counted } from '../../apis/counted.ts';
import type { Adoption } from '../../controllers/instances/adopt.ts';
import type { AdoptionLine } from '../../core/node-claim/adoption/adoption-plan.ts';
import type { CliContext } from '../context.ts';
import { type CellColumn, formatTableWithin } from '../render/format-table.ts';
import { indented, printable } from '../render/render-lines.ts';

export interface ShownAdoption extends Adoption {
  readonly cluster: string;
  /** The number of records written; undefined without --apply. */
  readonly adopted: number | undefined;
  /** The number of instances that could not be adopted; their lines are skipped. */
  readonly failed: number;
}

const COLUMNS: readonly CellColumn<AdoptionLine>[] = [
  { title: 'NodeClaim', align: 'left', cell: ({ nodeClaim }) => nodeClaim ?? '-' },
  { title: 'NodePool', align: 'left', cell: ({ nodePool }) => nodePool ?? '-', spare: 5 },
  { title: 'type', align: 'left', cell: ({ instanceType }) => instanceType ?? '-', spare: 3 },
  { title: 'zone', align: 'left', cell: ({ zone }) => zone ?? '-', spare: 2 },
  { title: 'capacity', align: 'left', cell: ({ capacityType }) => capacityType ?? '-', spare: 4 },
  { title: 'instance', align: 'left', cell: ({ instanceId }) => instanceId ?? '-' },
  { title: 'node', align: 'left', cell: ({ node }) => node ?? '-', spare: 1 },
  { title: 'outcome', align: 'left', cell: wordFor },
];

function wordFor({ outcome }: AdoptionLine): string {
  switch (outcome.kind) {
    case 'adopt':
      return 'adopt';
    case 'known':
      return 'recorded';
    case 'left':
      return 'skipped';
  }
}

const WIDTH = 100;

/** Renders the adoption as text: the table, the skipped objects with reasons, and the next step. */
export function renderAdoption(shown: ShownAdoption, { columns }: Pick<CliContext, 'columns'>): string {
  const width = columns ?? WIDTH;
  const { titles, rows, note } = formatTableWithin(COLUMNS, shown.lines, width);
  const lines = [
    ...shown.otherAutoscalers.flatMap(({ message }) => [...indented(message, 0, width), '']),
    ...(shown.ignored === undefined ? [] : [...indented(shown.ignored.message, 0, width), '']),
    ...shown.unknown.flatMap(({ message }) => indented(message, 0, width)),
    ...(shown.lines.length === 0 ? [] : [titles, ...rows, ...note, '']),
    ...remarks('Skipped', shown.lines.map(whySkipped), width),
    ...remarks('Notes', shown.lines.map(notesOf), width),
    ...indented(conclusion(shown), 0, width),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

interface Remarks {
  readonly subject: string;
  readonly texts: readonly string[];
}

function whySkipped(line: AdoptionLine): Remarks {
  return { subject: subjectOf(line), texts: line.outcome.kind === 'left' ? [line.outcome.message] : [] };
}

function notesOf(line: AdoptionLine): Remarks {
  return { subject: subjectOf(line), texts: line.outcome.kind === 'left' ? [] : line.notes };
}

function subjectOf({ nodeClaim, instanceId }: AdoptionLine): string {
  return nodeClaim ?? instanceId ?? '';
}

function remarks(title: string, all: readonly Remarks[], width: number): readonly string[] {
  const nonEmpty = all.filter(({ texts }) => texts.length > 0);
  if (nonEmpty.length === 0) return [];
  const lines = nonEmpty.flatMap(({ subject, texts }) => [
    `  ${subject}`,
    ...texts.flatMap((text) => indented(text, 4, width)),
  ]);
  return [title, ...lines, ''];
}

function conclusion({ cluster, lines, otherAutoscalers, unknown, adopted, failed }: ShownAdoption): string {
  const open = lines.filter(({ outcome }) => outcome.kind === 'adopt').length;
  const known = lines.filter(({ outcome }) => outcome.kind === 'known').length;
  const skipped = lines.length - open - known;
  const rest = `${known} already recorded, ${skipped} skipped`;
  if (adopted !== undefined) {
    const next =
      failed > 0
        ? `${counted(failed, 'instance')} could not be adopted: solve what is named above, then run the command again.`
        : `Set shadow to false for ${cluster} and deploy.`;
    return `Kerf adopted ${counted(adopted, 'NodeClaim')}; ${rest}. ${next}`;
  }
  const would = `Kerf would adopt ${counted(open, 'NodeClaim')}; ${rest}. Nothing was written`;
  if (otherAutoscalers.length > 0) return `${would}: --apply is refused while another autoscaler is active.`;
  return unknown.length > 0
    ? `${would}: --apply is refused until Kerf can check for other autoscalers: grant the permissions named above.`
    : `${would}: use --apply to adopt.`;
}

/** The adoption as JSON. */
export function adoptionOutput({ cluster, lines, otherAutoscalers, unknown, adopted }: ShownAdoption): unknown {
  return {
    cluster,
    applied: adopted !== undefined,
    rivals: otherAutoscalers.map(({ reason, message, numbers }) => ({ reason, message, numbers })),
    unknown: unknown.map(({ message }) => message),
    claims: lines.map(({ outcome, ...line }) => ({
      ...line,
      outcome: outcome.kind,
      ...(outcome.kind === 'left' ? { reason: outcome.reason, message: outcome.message } : {}),
      ...(outcome.kind === 'adopt' ? { tags: outcome.tags } : {}),
    })),
  };
}
