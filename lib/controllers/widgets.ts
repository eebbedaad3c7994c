import { DAY_MS, HOUR_MS } from '../apis/formats/time.ts';
import { optional } from '../apis/optional.ts';
import { ownField, textField } from '../apis/record.ts';
import { decisionLogWidget } from '../core/widgets/decision-log.ts';
import { fleetWidget } from '../core/widgets/fleet.ts';
import { fleetNodes } from '../core/widgets/fleet-facts.ts';
import { notice, type Theme } from '../core/widgets/markup.ts';
import { pendingPodWidget } from '../core/widgets/pending-pod.ts';
import type { Clock } from '../ports/clock.ts';
import type { DecisionLog, TimeRange } from '../ports/decision-log.ts';
import { PortError } from '../ports/errors.ts';
import type { ClaimReader } from '../ports/node-claim-store.ts';

/** The pictures of the dashboard that a function draws. */
export const WIDGETS = ['decisions', 'fleet', 'pending-pod'] as const;
export type WidgetName = (typeof WIDGETS)[number];

export interface WidgetPorts {
  readonly log: Pick<DecisionLog, 'list' | 'usage'>;
  readonly store: Pick<ClaimReader, 'listNodeClaims'>;
  readonly clock: Clock;
}

/** A call of CloudWatch. A field that is missing has its default. */
interface WidgetCall {
  readonly widget: WidgetName;
  readonly cluster: string;
  readonly theme: Theme;
  readonly widthPx: number;
  readonly range: TimeRange;
  readonly pod: string | undefined;
}

/**
 * Draws a widget for CloudWatch. *Shape:* HTML without script. What cannot be read is a sentence in it.
 * @param endpoint the ARN of the function, which the button of the form calls
 */
export async function answerWidget(ports: WidgetPorts, event: unknown, endpoint: string): Promise<string> {
  if (ownField(event, 'describe') === true) return DESCRIPTION;
  const call = callOf(event, ports.clock.now());
  if (call === undefined) return notice(themeOf(event), `write "widget" (${WIDGETS.join(', ')}) and "cluster"`);
  try {
    return await draw(ports, call, endpoint);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return notice(call.theme, `The records cannot be read: ${error.message}`);
  }
}

const DESCRIPTION = `Draws what Kerf has decided. Parameters: "widget" (${WIDGETS.join(', ')}) and "cluster". It reads the table of the deployment and changes nothing.`;

async function draw(ports: WidgetPorts, call: WidgetCall, endpoint: string): Promise<string> {
  const { widget, cluster, theme, range, widthPx, pod } = call;
  switch (widget) {
    case 'decisions':
      return decisionLogWidget(await ports.log.list(cluster, range), theme);
    case 'fleet': {
      const nowMs = ports.clock.now();
      const recent = { fromMs: nowMs - USAGE_MS, untilMs: nowMs + 1 };
      const [claims, hours] = await Promise.all([
        ports.store.listNodeClaims(cluster),
        ports.log.usage(cluster, recent),
      ]);
      const last = hours.at(-1);
      return fleetWidget(fleetNodes(claims, last), { theme, widthPx, ...optional({ seenMs: last?.atMs }) });
    }
    case 'pending-pod': {
      const records = await ports.log.list(cluster, range);
      const params = { widget, cluster };
      return pendingPodWidget(records, { theme, nowMs: range.untilMs, endpoint, params, ...optional({ asked: pod }) });
    }
  }
}

/** Usage is written each half hour. */
const USAGE_MS = 3 * HOUR_MS;
/** A longer time would be read for seconds. */
const MAX_RANGE_MS = 7 * DAY_MS;
const DEFAULT_WIDTH_PX = 900;
/** The margin of the frame around a widget. */
const MARGIN_PX = 30;

/** *Shape:* undefined if it does not name a widget and a cluster. */
function callOf(event: unknown, nowMs: number): WidgetCall | undefined {
  const widget = WIDGETS.find((name) => name === textField(event, 'widget'));
  const cluster = textField(event, 'cluster');
  if (widget === undefined || cluster === undefined) return undefined;
  const context = ownField(event, 'widgetContext');
  const width = Number(ownField(context, 'width') ?? DEFAULT_WIDTH_PX);
  return {
    widget,
    cluster,
    theme: themeOf(event),
    widthPx: Math.max(200, (Number.isFinite(width) ? width : DEFAULT_WIDTH_PX) - MARGIN_PX),
    range: rangeOf(ownField(context, 'timeRange'), nowMs),
    pod: textField(ownField(ownField(context, 'forms'), 'all'), 'pod'),
  };
}

function themeOf(event: unknown): Theme {
  return textField(ownField(event, 'widgetContext'), 'theme') === 'dark' ? 'dark' : 'light';
}

/** That of the dashboard, or its part that is zoomed into. */
function rangeOf(timeRange: unknown, nowMs: number): TimeRange {
  const shown = ownField(timeRange, 'zoom') ?? timeRange;
  const end = ownField(shown, 'end');
  const start = ownField(shown, 'start');
  const untilMs = typeof end === 'number' ? end + 1 : nowMs + 1;
  const fromMs = typeof start === 'number' ? start : untilMs - DAY_MS;
  return { fromMs: Math.max(fromMs, untilMs - MAX_RANGE_MS), untilMs };
}
