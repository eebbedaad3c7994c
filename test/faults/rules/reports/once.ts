import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { isRecord, ownField } from '../../../../lib/apis/record.ts';
import { formatSubject } from '../../../../lib/core/model/subject.ts';
import { PortError, RefusedError, UnexpectedError, UnreadableError } from '../../../../lib/ports/errors.ts';
import type { RuleOf } from '../../rule.ts';

/** The clocks of two functions may be apart. */
const TOLERANCE_MS = 4 * MINUTE_MS;
/** Two runs at the same time decide the same, and both report it. Polls are five seconds apart. */
const TOGETHER_MS = 4 * SECOND_MS;
/** With slow calls, two runs may begin together and report a minute apart. */
const SLOW_TOGETHER_MS = MINUTE_MS;
const SLOW: ReadonlySet<string> = new Set(['calls-slow', 'calls-hang', 'table-steps']);
/** Events that are repeated while a state lasts, and that the API server keeps as one series (F16). */
const STATES: ReadonlySet<unknown> = new Set(['FailedScheduling', 'NodeClassNotReady']);

/** Without an answer for five minutes, no run does anything, and each of them is a failure. */
const NO_RUN = 'failed to check for other autoscalers:';

/** A refusal is reported at most once an hour for each object and cause: in the log and the metric, as an Event, and on the bus. */
export const failuresAreReportedOnce: RuleOf = ({ violate, nowMs, story, records }) => {
  const togetherMs = story.faults.some(({ kind }) => SLOW.has(kind)) ? SLOW_TOGETHER_MS : TOGETHER_MS;
  const lastMs = new Map<string, number>();
  /** The NodeClaim of each report of a removal. */
  const removals = new Map<string, string>();
  const report = (where: string, text: string): void => {
    const key = keyOf(where, text);
    const agoMs = nowMs() - (lastMs.get(key) ?? -Infinity);
    if (agoMs < togetherMs) return;
    lastMs.set(key, nowMs());
    if (agoMs < HOUR_MS - TOLERANCE_MS)
      violate('failures are reported once', `${where} has it again after ${Math.round(agoMs / 1_000)} s: ${text}`);
  };
  return {
    replaced() {
      // A restored record without its deletion, or a NodeClaim that has lost its record, is removed once more.
      for (const [key, nodeClaim] of removals) if (records.get(nodeClaim)?.deletion === undefined) lastMs.delete(key);
    },
    failed({ function: name, error }) {
      // A run that ends with a refusal did nothing: each such run is a failure. An unexpected error is a problem in each run.
      if (!(error instanceof Error) || error instanceof PortError || !isRefusal(error)) return;
      if (error.cause instanceof UnexpectedError) return;
      if (error.message.startsWith(NO_RUN)) return;
      const cause = error.cause instanceof Error ? error.cause.message : error.message;
      const subject = error.message.endsWith(cause) ? error.message.slice(0, -cause.length) : '';
      report(`the log of ${name}: ${subject}`, subject === '' ? error.message : cause);
    },
    call({ method, args: [event] }) {
      if (method !== 'cluster.publishEvent' || !isRecord(event)) return;
      const [regarding, reason] = [ownField(event, 'regarding'), ownField(event, 'reason')];
      if (ownField(event, 'type') !== 'Warning' || STATES.has(reason)) return;
      const name = String(ownField(regarding, 'name'));
      const where = `an Event of ${String(ownField(regarding, 'kind'))} ${name}`;
      const message = String(ownField(event, 'message'));
      const text = `${String(reason)}: ${message}`;
      if (isOfRemoval(reason, message)) {
        const record = records.get(name) ?? [...records.values()].find(({ nodeName }) => nodeName === name);
        if (record !== undefined) removals.set(keyOf(where, text), record.name);
      }
      report(where, text);
    },
    published({ controller, blocked }) {
      for (const { subject, reason, message } of blocked)
        if (reason === 'ActionRefused' || (controller === 'termination' && subject.kind !== 'Cluster'))
          report(`the bus from ${controller} for ${formatSubject(subject)}`, message);
    },
  };
};

/** Numbers in the name of an object are part of the name, like the one of a pod of a StatefulSet; a cause may have another number each time. */
function keyOf(where: string, text: string): string {
  return `${where}: ${text.replaceAll(/(?<![\w-])\d+/g, '#')}`;
}

/** The Events of a removal: both are written when its drain begins. */
function isOfRemoval(reason: unknown, message: string): boolean {
  return reason === 'TerminationGracePeriodExpiring' || message.startsWith('Disrupting ');
}

/** Faults that do not end runs, and do not keep a run from its reports. */
const ORDERLY: ReadonlySet<string> = new Set([
  'object-refused',
  'unreadable-record',
  'no-capacity',
  'by-hand',
  'spot-volley',
  'machines',
  'impaired',
  'scheduler-down',
  'slow-pods',
]);
/** What the log alone reports: Kerf shows the rest on the objects as Events. */
const ONLY_LOGGED: ReadonlySet<string> = new Set([
  // A nomination is a hint.
  'cluster.nominatePod',
  'cloud.tagInstance',
  'cluster.applyNodeClaim',
  // Both are repeated, and the release of the claim, which needs them, reports a refusal.
  'cluster.deleteNodeClaim',
  'cluster.deleteNode',
  'store.updateNodeClaim',
  'store.readNodeClaim',
]);

/** E38: a taint that is only a preference is a hint too. Its refusal is one line of the log for all nodes. */
const ONLY_LOGGED_SUBJECT = 'taints of nodes: ';

/** The store reports it, below the fault. */
const REPORTED_BY_STORE = 'store.readNodeClaim';

/** The step that writes the Event may come after the end of a shorter fault. */
const SHORT_MS = 2 * MINUTE_MS;

/** A refusal for good is reported: in the log, and as an Event that names the cause (promise 7). */
export const refusalsAreReported: RuleOf = ({ story, objectOf }) => {
  const [logged, toShow, shown] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const refused = story.faults.flatMap((one) => (one.kind === 'object-refused' ? [one] : []));
  const note = (where: Set<string>, text: string): void => {
    for (const { call } of refused) if (text.includes(`${call}: simulated fault: this object`)) where.add(call);
  };
  return {
    failed({ error }) {
      const message = error instanceof Error ? error.message : '';
      note(logged, message);
      if (!message.startsWith(ONLY_LOGGED_SUBJECT)) note(toShow, message);
    },
    call({ method, args: [event] }) {
      if (method === 'cluster.publishEvent') note(shown, String(ownField(event, 'message')));
    },
    unsettled: () =>
      story.faults.every(({ kind }) => ORDERLY.has(kind))
        ? refused
            .filter((one) => objectOf(one) !== undefined)
            .flatMap(({ call, forMs }) => [
              ...(logged.has(call) || call === REPORTED_BY_STORE ? [] : [`the refusal of ${call} is in no log`]),
              ...(shown.has(call) || !toShow.has(call) || ONLY_LOGGED.has(call) || forMs < SHORT_MS
                ? []
                : [`the refusal of ${call} has no Event`]),
            ])
        : [],
  };
};

/** A run goes on with the other objects when one fails for good (promise 7). An event of EC2 is about one object. */
export const oneObjectEndsNoRun: RuleOf = ({ violate, story }) => ({
  failed({ function: name, error }) {
    // A run that is about one record ends if the record cannot be read.
    if (!(error instanceof Error) || error instanceof UnreadableError || name === 'interruption') return;
    const refused = story.faults.find((one) => one.kind === 'object-refused' && error.message.startsWith(one.call));
    if (refused !== undefined && error.message.endsWith('this object is refused'))
      violate('one refused object ends no run', `a run of ${name} ended: ${error.message}`);
  },
});

function isRefusal({ cause }: Error): boolean {
  return cause instanceof RefusedError || (cause instanceof Error && isRefusal(cause));
}
