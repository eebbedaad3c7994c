import { SECOND_MS } from '../../apis/formats/time.ts';
import type { FleetFigures, Frame, LogLine } from '../../page/fleet/frame.ts';
import type { OpenSimulation, SimulationInput } from '../../simulator/simulation.ts';
import type { TimelineEntry } from '../../simulator/timeline.ts';
import { type TimelineLines, timelineLines } from '../simulate/timeline-lines.ts';
import { type FleetNodes, fleetNodes } from './fleet-nodes.ts';
import { type FleetPending, fleetPending } from './fleet-pending.ts';
import { priceBound } from './price-bound.ts';

/** Makes the frames of a page from a simulation while it runs. */
export interface FleetRecorder {
  /** To be called after each step, with its entries. */
  step(entries: readonly TimelineEntry[]): void;
  /** The frames that are complete and have not been taken. */
  take(): readonly Frame[];
  /** Completes a frame that something has changed in, so that nothing waits for the next change. */
  flush(): void;
  /** Completes the last frame, with the figures of the end. */
  end(): void;
}

/** A longer simulation has longer frames, so that the number of frames has a limit. */
const MAX_FRAMES = 3_600;
/** The cost grows also if nothing else changes. */
const QUIET_SECONDS = 60;

/** What is collected for the next frame. */
interface Collected {
  readonly nodes: FleetNodes;
  readonly pending: FleetPending;
  readonly lines: TimelineLines;
  logged: LogLine[];
  figures: FleetFigures;
  changedAt: number;
  isDirty: boolean;
}

/** Watches the simulation from now on. */
export function fleetRecorder(simulation: OpenSimulation, input: SimulationInput): FleetRecorder {
  const { state, timetable, endMs } = simulation;
  const startMs = endMs - input.durationMs;
  const frameSeconds = Math.max(1, Math.ceil(input.durationMs / SECOND_MS / MAX_FRAMES));
  const bound = priceBound(input.manifests, input.catalogue);
  const frames: Frame[] = [];
  const collected: Collected = {
    nodes: fleetNodes(),
    pending: fleetPending(),
    lines: timelineLines({ isBrief: false }),
    figures: figuresOf(simulation, 0),
    logged: [],
    changedAt: 0,
    isDirty: true,
  };
  const { nodes, pending } = collected;
  const now = (): number => (timetable.now() - startMs) / SECOND_MS;
  const isLater = (): boolean => Math.floor(now() / frameSeconds) > Math.floor(collected.changedAt / frameSeconds);
  const touch = (): void => {
    if (isLater() && collected.isDirty) frames.push(frameOf(collected));
    collected.changedAt = now();
    collected.isDirty = true;
  };
  const readFigures = (): void => {
    const requested = nodes.requested();
    collected.figures = figuresOf(simulation, bound(requested.cpu, requested.memory));
  };
  state.watchers.push({
    pod(before, after) {
      touch();
      nodes.pod(before, after);
      pending.pod(before, after, now());
    },
    node(_, after) {
      touch();
      nodes.node(after);
    },
  });
  state.pods.forEach((pod) => pending.pod(undefined, pod, 0));
  return {
    step(entries) {
      for (const entry of entries) {
        touch();
        nodes.note(entry);
        pending.note(entry);
        collected.logged.push(...collected.lines.entry(entry));
      }
      if (collected.isDirty ? isLater() : now() - collected.changedAt >= QUIET_SECONDS) touch();
      if (collected.isDirty) readFigures();
    },
    take: () => frames.splice(0),
    flush: () => void (collected.isDirty && frames.push(frameOf(collected))),
    end() {
      touch();
      readFigures();
      frames.push(frameOf(collected));
    },
  };
}

/** Ends the frame, and begins the next one. */
function frameOf(collected: Collected): Frame {
  const { nodes, pending, lines, changedAt, figures } = collected;
  const taken = nodes.take();
  const waiting = pending.take();
  const logged = [...collected.logged, ...lines.flush()];
  collected.logged = [];
  collected.isDirty = false;
  return {
    at: Math.round(changedAt * 1_000) / 1_000,
    ...(taken.nodes.length > 0 && { nodes: taken.nodes }),
    ...(taken.gone.length > 0 && { gone: taken.gone }),
    ...(waiting !== undefined && { pending: waiting }),
    ...(logged.length > 0 && { lines: logged }),
    figures,
  };
}

function figuresOf(simulation: OpenSimulation, boundUsdPerHour: number): FleetFigures {
  const { usdPerHour, costUsd, podsRunning, podsPending } = simulation.progress();
  return { usdPerHour, costUsd: rounded(costUsd), podsRunning, podsPending, boundUsdPerHour: rounded(boundUsdPerHour) };
}

function rounded(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}
