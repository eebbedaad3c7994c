import type { ScenarioManifestLoad } from '../generated/scenario-manifest.ts';
import type { PodTemplate } from '../kubernetes.ts';
import { optional } from '../optional.ts';
import { milliseconds } from './milliseconds.ts';

/** Pods that arrive at times and run for a time. *Units:* times count from the start of the simulation. */
export interface Load {
  readonly name: string;
  readonly namespace: string;
  readonly template: PodTemplate;
  readonly arrivals: Arrivals;
  readonly lifetime: Lifetime;
  /** The most pods at one time. @default no limit */
  readonly limit?: number;
  readonly fromMs: number;
  /** @default until the end of the simulation */
  readonly toMs?: number;
}

export type Arrivals =
  | { readonly kind: 'poisson'; readonly perHour: number }
  | {
      readonly kind: 'diurnal';
      readonly peakPerHour: number;
      readonly troughPerHour: number;
      readonly peakAtMs: number;
    }
  | { readonly kind: 'batch'; readonly everyMs: number; readonly pods: number };

export type Lifetime =
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'exponential'; readonly meanMs: number };

/** *Errors:* RangeError for a load that validation rejects. */
export function parseLoad(load: ScenarioManifestLoad): Load {
  const { name, namespace = 'default', limit, from, to } = load;
  return {
    name,
    namespace,
    template: templateOf(load),
    arrivals: parseArrivals(load.arrivals),
    lifetime: parseLifetime(load.lifetime),
    ...optional({ limit }),
    ...parsePeriod({ from, to }),
  };
}

export function parsePeriod({ from, to }: { readonly from: string | undefined; readonly to: string | undefined }): {
  readonly fromMs: number;
  readonly toMs?: number;
} {
  const fromMs = from === undefined ? 0 : milliseconds(from);
  return to === undefined ? { fromMs } : { fromMs, toMs: milliseconds(to) };
}

/** A template for pods that end. */
export function templateOf(given: {
  readonly name: string;
  readonly template?: PodTemplate;
  readonly cpu?: string | number;
  readonly memory?: string | number;
}): PodTemplate {
  const { name, template, cpu, memory } = given;
  if (template !== undefined) return { ...template, spec: { restartPolicy: 'Never', ...template.spec } };
  const requests = optional({ cpu, memory });
  const containers = [{ name, resources: { requests } }];
  return { metadata: { labels: { 'app.kubernetes.io/name': name } }, spec: { restartPolicy: 'Never', containers } };
}

function parseArrivals({ poisson, diurnal, batch }: ScenarioManifestLoad['arrivals']): Arrivals {
  if (poisson !== undefined) return { kind: 'poisson', perHour: poisson.perHour };
  if (diurnal !== undefined) {
    const { peakPerHour, troughPerHour = 0, peakAt } = diurnal;
    return { kind: 'diurnal', peakPerHour, troughPerHour, peakAtMs: milliseconds(peakAt) };
  }
  if (batch === undefined) throw new RangeError('a load has no arrivals');
  return { kind: 'batch', everyMs: milliseconds(batch.every), pods: batch.pods };
}

function parseLifetime({ fixed, exponential }: ScenarioManifestLoad['lifetime']): Lifetime {
  if (fixed !== undefined) return { kind: 'fixed', ms: milliseconds(fixed) };
  if (exponential === undefined) throw new RangeError('a load has no lifetime');
  return { kind: 'exponential', meanMs: milliseconds(exponential) };
}
