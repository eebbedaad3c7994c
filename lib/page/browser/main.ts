import { formatClock, formatCpu, formatDollars, formatMemory, shareOf } from '../fleet/format.ts';
import type { FleetNode, PageData } from '../fleet/frame.ts';
import { fleetHistory } from '../fleet/history.ts';
import { type FleetLayout, layoutFleet, type TileSize, tileAt, tileSizeFor } from '../fleet/layout.ts';
import { defaultSpeed, SPEEDS } from '../fleet/speeds.ts';
import { button, create, element, setText } from './dom.ts';
import { drawChart } from './draw-chart.ts';
import { drawFleet } from './draw-fleet.ts';
import { command, followServer, type LiveStatus } from './server-events.ts';
import { percent, showLog, showPending, showPools } from './show-lists.ts';
import { onThemeChange } from './theme.ts';

const data = pageData();
let history = fleetHistory();
history.add(data.frames);

const fleet = element('fleet', HTMLCanvasElement);
const chart = element('chart', HTMLCanvasElement);
const scrub = element('scrub', HTMLInputElement);
const speed = element('speed', HTMLSelectElement);
const everyEvent = element('all', HTMLInputElement);

let at = 0;
let isPlaying = false;
/** Whether a live page shows the present. */
let isFollowing = data.live;
let live: LiveStatus = { paused: false, speed: 1, ended: false, at: 0 };
let layout: FleetLayout = { bands: [], columns: 1, height: 0 };
let size: TileSize = 'card';
let selected: string | undefined;
let isStale = true;

const lastSeconds = (): number => (data.live ? Math.max(live.at, history.end()) : Math.max(1, history.end()));
const untilSeconds = (): number => (data.live ? data.durationSeconds : lastSeconds());

function pageData(): PageData {
  const value: unknown = JSON.parse(element('data', HTMLScriptElement).textContent);
  if (!isPageData(value)) throw new TypeError('the page has no data');
  return value;
}

function isPageData(value: unknown): value is PageData {
  return typeof value === 'object' && value !== null && 'frames' in value;
}

function show(): void {
  const state = history.stateAt(at);
  size = tileSizeFor(history.peak().nodes);
  layout = layoutFleet(state.nodes.values(), size, fleet.clientWidth);
  drawFleet(fleet, { layout, size, selected });
  drawChart(chart, history, { untilSeconds: untilSeconds(), knownSeconds: lastSeconds(), at });
  showPending(state, at);
  showPools(layout.bands);
  showLog(history.lines, state.lines, !everyEvent.checked);
  showSelected(state.nodes.get(selected ?? ''));
  const { figures, nodes } = state;
  setText('f-nodes', String(nodes.size));
  setText('f-running', String(figures.podsRunning));
  setText('f-pending', String(figures.podsPending));
  element('f-pending', HTMLElement).className = figures.podsPending > 0 ? 'bad' : '';
  const sums = { cpu: 0, cpuRequested: 0, memory: 0, memoryRequested: 0 };
  for (const node of nodes.values()) {
    sums.cpu += node.cpu;
    sums.cpuRequested += node.cpuRequested;
    sums.memory += node.memory;
    sums.memoryRequested += node.memoryRequested;
  }
  setText('f-cpu', percent(shareOf(sums.cpuRequested, sums.cpu)));
  setText('f-memory', percent(shareOf(sums.memoryRequested, sums.memory)));
  setText('f-rate', formatDollars(figures.usdPerHour));
  setText('f-cost', formatDollars(figures.costUsd));
  const now = `${formatClock(at)} of ${formatClock(untilSeconds())}`;
  setText('clock', now);
  scrub.max = String(Math.ceil(untilSeconds()));
  scrub.value = String(at);
  scrub.setAttribute('aria-valuetext', now);
  setText('play', (data.live ? !live.paused && !live.ended : isPlaying) ? 'Pause' : 'Play');
  button('follow').hidden = !data.live || isFollowing;
}

function showSelected(node: FleetNode | undefined): void {
  if (selected === undefined) return;
  if (node === undefined) return setText('node', 'This node does not exist at this time.');
  const { type, capacityType, zone, usdPerHour, pool, instance, pods, state, why } = node;
  const stays = { starting: 'It is starting.', ready: 'It is ready.', lost: 'Its kubelet does not report.' };
  const requests = `${formatCpu(node.cpuRequested, node.cpu)}, ${formatMemory(node.memoryRequested, node.memory)}, ${pods} pods`;
  setText(
    'node',
    [
      `${type} ${capacityType} in ${zone}, ${formatDollars(usdPerHour)}/h, NodePool ${pool}, ${instance}, since ${formatClock(node.launchedAt)}.`,
      `${requests}.`,
      state === 'leaving' ? `It is leaving: ${why}.` : stays[state],
    ].join(' '),
  );
}

function goTo(seconds: number): void {
  at = Math.max(0, Math.min(seconds, lastSeconds()));
  isStale = true;
}

/** Looks at the past. A live simulation goes on behind it. */
function lookAt(seconds: number): void {
  isFollowing = false;
  goTo(seconds);
}

async function send(kind: string, value?: number): Promise<void> {
  setText('status', await command(kind, value));
}

function togglePlay(): void {
  if (data.live) {
    void send(live.paused ? 'resume' : 'pause');
    return;
  }
  if (!isPlaying && at >= lastSeconds()) goTo(0);
  isPlaying = !isPlaying;
  isStale = true;
}

function stepForward(): void {
  if (data.live && isFollowing) return void send('step');
  isPlaying = false;
  lookAt(history.next(at) ?? at);
}

button('play').addEventListener('click', togglePlay);
button('forward').addEventListener('click', stepForward);
button('back').addEventListener('click', () => {
  isPlaying = false;
  lookAt(history.previous(at) ?? 0);
});
button('follow').addEventListener('click', () => {
  isFollowing = true;
  goTo(lastSeconds());
});
for (const kind of ['interrupt', 'outage', 'load']) button(kind).addEventListener('click', () => void send(kind));
scrub.addEventListener('input', () => lookAt(Number(scrub.value)));
chart.addEventListener('click', ({ offsetX }) => lookAt((offsetX / chart.clientWidth) * untilSeconds()));
everyEvent.addEventListener('change', () => {
  isStale = true;
});
speed.append(
  ...SPEEDS.map(({ value, text }) => {
    const option = create('option', text);
    option.value = String(value);
    return option;
  }),
);
speed.value = String(defaultSpeed(untilSeconds()));
speed.addEventListener('change', () => {
  if (data.live) void send('speed', Number(speed.value));
});
/** The command can set a speed that is not in the list. */
function showSpeed(value: number): void {
  speed.value = String(value);
  if (speed.value === String(value)) return;
  const option = create('option', `${value} ×`);
  option.value = String(value);
  speed.append(option);
  speed.value = option.value;
}

document.addEventListener('keydown', (event) => {
  if (event.key !== ' ' || event.target !== document.body) return;
  event.preventDefault();
  togglePlay();
});

function select(node: FleetNode | undefined): void {
  if (node === undefined || node.id === selected) return;
  selected = node.id;
  isStale = true;
}

fleet.addEventListener('pointermove', ({ offsetX: x, offsetY: y }) => select(tileAt(layout, size, { x, y })?.node));
fleet.addEventListener('keydown', (event) => {
  const all = layout.bands.flatMap(({ nodes }) => nodes);
  const place = all.findIndex(({ id }) => id === selected);
  const moves: Readonly<Record<string, number>> = {
    ArrowRight: place + 1,
    ArrowLeft: place - 1,
    ArrowDown: place < 0 ? 0 : place + layout.columns,
    ArrowUp: place - layout.columns,
    Home: 0,
    End: all.length - 1,
  };
  const to = moves[event.key];
  if (to === undefined) return;
  event.preventDefault();
  select(all[Math.max(0, Math.min(to, all.length - 1))]);
});
new ResizeObserver(() => {
  isStale = true;
}).observe(fleet);
onThemeChange(() => {
  isStale = true;
});

function begin(): void {
  setText('title', data.title);
  if (data.recorded === true) setText('mode', 'records of decisions');
  const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const wanted = /^#t=(\d+)$/.exec(window.location.hash)?.[1];
  if (!data.live) {
    goTo(wanted === undefined ? (isStill ? history.peak().at : 0) : Number(wanted));
    isPlaying = wanted === undefined && !isStill;
    return;
  }
  setText('mode', 'live simulation');
  for (const one of document.querySelectorAll<HTMLElement>('.live')) one.hidden = false;
  followServer({
    restarted() {
      history = fleetHistory();
      setText('status', '');
    },
    frames(frames) {
      history.add(frames);
      isStale = true;
    },
    status(status) {
      live = status;
      showSpeed(status.speed);
      for (const kind of ['play', 'interrupt', 'outage', 'load']) button(kind).disabled = status.ended;
      if (status.ended) setText('status', 'The simulation has ended.');
      isStale = true;
    },
    lost: () => setText('status', 'The connection to the simulation is lost.'),
  });
}

let before = performance.now();
function animate(now: number): void {
  const passed = Math.min(0.25, (now - before) / 1_000);
  before = now;
  if (isPlaying) goTo(at + passed * Number(speed.value));
  if (isPlaying && at >= lastSeconds()) isPlaying = false;
  if (isFollowing && at !== lastSeconds()) goTo(lastSeconds());
  if (isStale) {
    isStale = false;
    show();
  }
  requestAnimationFrame(animate);
}

begin();
requestAnimationFrame(animate);
