import { firstNames } from '../../apis/counted.ts';
import { formatDayTime } from '../../apis/formats/time.ts';
import type { DecisionRecord } from '../decisions/decision-record.ts';
import { whyAt } from '../decisions/why-at.ts';
import type { Explanation } from '../explain/explanation.ts';
import { adviceFor } from '../explain/reason-texts.ts';
import { formatSubject } from '../model/subject.ts';
import { reasonLines } from '../provisioning/pod-refusals.ts';
import { escaped, PALETTES, type Theme, widget } from './markup.ts';

export interface PendingQuestion {
  readonly theme: Theme;
  readonly nowMs: number;
  /** The name of a pod, also as `namespace/name`. @default nothing is asked yet */
  readonly asked?: string;
  /** What the button calls: the function of the widget. */
  readonly endpoint: string;
  /** The parameters of the widget. */
  readonly params: Readonly<Record<string, string>>;
}

/** The number of reasons, and of pods of each. */
const MAX_GROUPS = 20;
const MAX_PODS = 3;

/** A field for the name of a pod, and why it is pending. Without a name, the pods that were refused last. @param records oldest first */
export function pendingPodWidget(records: readonly DecisionRecord[], question: PendingQuestion): string {
  const { theme, asked = '', nowMs } = question;
  const { line, text, bad } = PALETTES[theme];
  const name = asked.trim();
  const answer = name === '' ? refusedPods(records) : answerOf(records, name, nowMs);
  return widget(
    theme,
    [formOf(name, question), ...answer],
    [
      `.kerf input{font:inherit;color:${text};background:transparent;border:1px solid ${line};border-radius:3px;padding:3px 6px;width:260px}`,
      `.kerf .btn{border:1px solid ${line};border-radius:3px;padding:4px 10px;cursor:pointer}`,
      '.kerf .reason{margin:8px 0 2px}',
      `.kerf .bad{color:${bad}}`,
      '.kerf dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 12px;margin:6px 0}',
      '.kerf dd{margin:0}',
      '.kerf cwdb-action{display:none}',
    ],
  );
}

/** CloudWatch passes the fields of the form to the function that the action calls. */
function formOf(name: string, { endpoint, params }: PendingQuestion): string {
  return [
    `<form><p><label>Pod <input name="pod" value="${escaped(name)}" placeholder="namespace/name"></label> `,
    '<a class="btn btn-primary">Why is it pending?</a>',
    `<cwdb-action action="call" display="widget" endpoint="${escaped(endpoint)}">`,
    escaped(JSON.stringify(params)),
    '</cwdb-action></p></form>',
  ].join('');
}

function answerOf(records: readonly DecisionRecord[], name: string, nowMs: number): readonly string[] {
  const told = whyAt(records, { kind: 'pod', name }, nowMs);
  if (told === undefined)
    return [
      `<p>No decision of this time names pod ${escaped(name)}. Choose a longer time, or use kerf why pod with a snapshot of the cluster.</p>`,
    ];
  return explained(told);
}

function explained({ subject, state, summary, reasons, facts }: Explanation): readonly string[] {
  const byReason = [...Map.groupBy(reasons, ({ reason }) => reason)];
  return [
    `<p><strong>${escaped(formatSubject(subject))}: <span${state === 'Unschedulable' ? ' class="bad"' : ''}>${state}</span></strong></p>`,
    `<p>${escaped(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)}</p>`,
    ...byReason.flatMap(([reason, same]) => [
      `<p class="reason"><strong>${reason}</strong></p>`,
      ...reasonLines(same).map((line) => `<p>${escaped(line)}</p>`),
      `<p class="muted">→ ${escaped(adviceFor(reason))}</p>`,
    ]),
    `<dl>${facts.map(([when, what]) => `<dt class="muted">${escaped(when)}</dt><dd>${escaped(what)}</dd>`).join('')}</dl>`,
  ];
}

/** Pods whose last record is a refusal. */
function refusedPods(records: readonly DecisionRecord[]): readonly string[] {
  const last = new Map<string, { readonly atMs: number; readonly reason?: string; readonly message?: string }>();
  for (const { atMs, actions, refusals } of records) {
    for (const { pods = [] } of actions) for (const pod of pods) last.set(pod, { atMs });
    for (const { kind, names, reason, message } of refusals)
      if (kind === 'Pod') for (const pod of names) last.set(pod, { atMs, reason, message });
  }
  const refused = [...last].flatMap(([pod, { atMs, reason, message = '' }]) =>
    reason === undefined ? [] : [{ pod, atMs, reason, message }],
  );
  if (refused.length === 0) return ['<p>No pod was refused in this time.</p>'];
  const groups = [...Map.groupBy(refused, ({ reason, message }) => `${reason}: ${message}`)].toReversed();
  const rows = groups.slice(0, MAX_GROUPS).map(([why, same]) => {
    const time = formatDayTime(Math.max(...same.map(({ atMs }) => atMs)));
    const names = firstNames(
      same.map(({ pod }) => pod),
      MAX_PODS,
    );
    return `<tr><td class="nowrap">${time}</td><td>${escaped(names)}</td><td>${escaped(why)}</td></tr>`;
  });
  const titles = ['refused (UTC)', 'pods', 'why'].map((title) => `<th scope="col" class="nowrap">${title}</th>`);
  return [
    `<table><thead><tr>${titles.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`,
    '<p class="muted">Pods whose last decision of this time is a refusal; some may be deleted since.</p>',
  ];
}
