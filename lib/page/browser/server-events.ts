import type { Frame } from '../fleet/frame.ts';

/** What the server of a live simulation reports. */
export interface LiveStatus {
  readonly paused: boolean;
  readonly speed: number;
  readonly ended: boolean;
  /** How far the simulation is. */
  readonly at: number;
}

interface Listener {
  frames(frames: readonly Frame[]): void;
  status(status: LiveStatus): void;
  /** The connection is lost, and tried again. */
  lost(): void;
  /** The server sends all frames again. */
  restarted(): void;
}

/** Follows the simulation of the server. */
export function followServer(listener: Listener): void {
  const source = new EventSource('events');
  source.addEventListener('open', () => listener.restarted());
  source.addEventListener('error', () => listener.lost());
  source.addEventListener('frames', ({ data }: MessageEvent<string>) => {
    const frames: unknown = JSON.parse(data);
    if (isFrames(frames)) listener.frames(frames);
  });
  source.addEventListener('status', ({ data }: MessageEvent<string>) => {
    const status: unknown = JSON.parse(data);
    if (isStatus(status)) listener.status(status);
  });
}

/** Sends a command. *Shape:* what the server answers, or why it could not be asked. */
export async function command(kind: string, value?: number): Promise<string> {
  try {
    const body = JSON.stringify({ kind, value });
    const answer = await fetch('control', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return await answer.text();
  } catch {
    return 'the simulation is not reachable: is the command still running?';
  }
}

function isFrames(value: unknown): value is readonly Frame[] {
  return Array.isArray(value);
}

function isStatus(value: unknown): value is LiveStatus {
  return typeof value === 'object' && value !== null && 'paused' in value;
}
