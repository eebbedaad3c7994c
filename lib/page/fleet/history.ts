import {
  type FleetFigures,
  type FleetNode,
  type Frame,
  type LogLine,
  type NodeChange,
  type PendingPods,
  UNKNOWN_NODE,
} from './frame.ts';

/** The cluster at one time. */
export interface FleetState {
  readonly nodes: ReadonlyMap<string, FleetNode>;
  readonly pending: readonly PendingPods[];
  readonly figures: FleetFigures;
  /** The number of lines of the log until now. */
  readonly lines: number;
}

/** All frames of a simulation. It returns the same state for a time, in whatever order times are asked for. */
export interface FleetHistory {
  add(frames: readonly Frame[]): void;
  stateAt(seconds: number): FleetState;
  /** The time of the next or previous frame; undefined if there is none. */
  next(seconds: number): number | undefined;
  previous(seconds: number): number | undefined;
  readonly lines: readonly LogLine[];
  /** The figures with their times, in order. */
  readonly figures: readonly (FleetFigures & { readonly at: number })[];
  /** The time of the last frame. */
  end(): number;
  /** The most nodes at one time, and when that was first so. */
  peak(): { readonly nodes: number; readonly at: number };
}

/** A state is kept for every so many frames. */
const FRAMES_A_KEYFRAME = 128;

const NOTHING: FleetState = {
  nodes: new Map(),
  pending: [],
  figures: { usdPerHour: 0, costUsd: 0, podsRunning: 0, podsPending: 0, boundUsdPerHour: 0 },
  lines: 0,
};

/** A state that one frame after the other changes, and the number of frames that it has. */
interface Cursor {
  readonly nodes: Map<string, FleetNode>;
  state: Omit<FleetState, 'nodes'>;
  frames: number;
}

export function fleetHistory(): FleetHistory {
  const frames: Frame[] = [];
  const lines: LogLine[] = [];
  const figures: (FleetFigures & { readonly at: number })[] = [];
  const keyframes: FleetState[] = [];
  let peak = { nodes: 0, at: 0 };
  const [head, shown] = [cursorAt(NOTHING, 0), { cursor: cursorAt(NOTHING, 0) }];
  return {
    lines,
    figures,
    add(more) {
      for (const frame of more) {
        if (head.frames % FRAMES_A_KEYFRAME === 0) keyframes.push({ ...head.state, nodes: new Map(head.nodes) });
        frames.push(frame);
        for (const line of frame.lines ?? []) lines.push(line);
        if (frame.figures !== undefined) figures.push({ at: frame.at, ...frame.figures });
        advance(head, frame);
        if (head.nodes.size > peak.nodes) peak = { nodes: head.nodes.size, at: frame.at };
      }
    },
    stateAt(seconds) {
      const count = framesUntil(frames, seconds);
      const at = Math.min(Math.floor(count / FRAMES_A_KEYFRAME), keyframes.length - 1);
      const isAhead = shown.cursor.frames > count;
      if (isAhead || count - shown.cursor.frames > FRAMES_A_KEYFRAME)
        shown.cursor = cursorAt(keyframes[at] ?? NOTHING, Math.max(0, at) * FRAMES_A_KEYFRAME);
      for (const frame of frames.slice(shown.cursor.frames, count)) advance(shown.cursor, frame);
      return { ...shown.cursor.state, nodes: shown.cursor.nodes };
    },
    next: (seconds) => frames[framesUntil(frames, seconds)]?.at,
    previous(seconds) {
      const count = framesUntil(frames, seconds);
      return (frames[count - 1]?.at === seconds ? frames[count - 2] : frames[count - 1])?.at;
    },
    end: () => frames.at(-1)?.at ?? 0,
    peak: () => peak,
  };
}

function cursorAt({ nodes, ...state }: FleetState, frames: number): Cursor {
  return { nodes: new Map(nodes), state, frames };
}

function advance(cursor: Cursor, frame: Frame): void {
  for (const change of frame.nodes ?? []) cursor.nodes.set(change.id, changedNode(cursor.nodes.get(change.id), change));
  for (const id of frame.gone ?? []) cursor.nodes.delete(id);
  const { pending, figures, lines } = cursor.state;
  cursor.state = {
    pending: frame.pending ?? pending,
    figures: frame.figures ?? figures,
    lines: lines + (frame.lines?.length ?? 0),
  };
  cursor.frames += 1;
}

/** Nodes are never changed in place, because keyframes share them. */
function changedNode(before: FleetNode | undefined, change: NodeChange): FleetNode {
  return { ...(before ?? UNKNOWN_NODE), ...change };
}

/** The number of frames that are not later. *Cost:* O(log n). */
function framesUntil(frames: readonly Frame[], seconds: number): number {
  let [low, high] = [0, frames.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((frames[middle]?.at ?? 0) <= seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}
