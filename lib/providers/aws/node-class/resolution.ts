import type { EC2Client } from '@aws-sdk/client-ec2';
import type { ClusterBootstrap } from '../../../core/model/cluster-bootstrap.ts';
import type { ResolvedNodeClass } from '../../../core/model/resolved-node-class.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { UnresolvedNodeClass } from '../../../ports/cloud-provider.ts';
import { RefusedError } from '../../../ports/errors.ts';
import type { ResolutionAnswers } from './resolution-answers.ts';
import type { ReadParameters } from './ssm-parameters.ts';

/** The EKS cluster that nodes join. */
export interface ClusterFacts {
  readonly bootstrap: ClusterBootstrap;
  /** `1.33`: EKS images are for one minor version (C66). */
  readonly kubernetesVersion: string;
}

export interface ResolveTools {
  readonly client: EC2Client;
  readonly readParameters: ReadParameters;
  readonly answers: ResolutionAnswers;
  readonly cluster: ClusterFacts;
  readonly region: string;
  readonly clock: Clock;
}

/** The resources that one selector found, and its problem. Each has a separate condition (A3.28). */
export interface Part {
  readonly found: Partial<ResolvedNodeClass>;
  readonly problems: readonly UnresolvedNodeClass[];
}

export function found(what: Partial<ResolvedNodeClass>): Part {
  return { found: what, problems: [] };
}

export function problem(reason: UnresolvedNodeClass['reason'], message: string): Part {
  return { found: {}, problems: [{ reason, message }] };
}

/** A rejected lookup does not affect the results of the others. */
export async function orRefused(part: Promise<Part>): Promise<Part> {
  try {
    return await part;
  } catch (error) {
    if (error instanceof RefusedError) return problem('Refused', error.message);
    throw error;
  }
}
