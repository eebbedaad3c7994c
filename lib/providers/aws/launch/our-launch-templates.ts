import {
  DeleteLaunchTemplateCommand,
  DescribeLaunchTemplatesCommand,
  type EC2Client,
  type Filter,
  type LaunchTemplate,
} from '@aws-sdk/client-ec2';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../apis/formats/time.ts';
import { NODE_CLASS } from '../../../apis/labels.ts';
import { optional } from '../../../apis/optional.ts';
import { CLUSTER_TAG } from '../../../core/model/ownership-tags.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { RefusedError } from '../../../ports/errors.ts';
import { despiteRefusals } from '../client/despite-refusals.ts';
import { errorNameOf, isTemplateMissing, translated } from '../client/errors.ts';
import { allPages } from '../client/pages.ts';
import type { LaunchTools } from './launch.ts';
import { LAUNCH_TEMPLATE_PREFIX } from './launch-template.ts';

/** Template names are derived from their content, so a launch recreates a template that was deleted (C52). */
const UNUSED_MS = DAY_MS;
const LOOK_AGAIN_MS = HOUR_MS;
/** Limits the calls of one run; the next run continues. */
const MAX_AT_ONCE = 20;
/** If EC2 accepts no more templates. Launches take minutes at most, so those in progress keep theirs. */
const ROOM = { unusedMs: HOUR_MS, everyMs: MINUTE_MS };

/** A3.30: deletes the launch templates of a class, found by their tags. *Errors:* the first refusal, after all others were tried. */
export async function deleteLaunchTemplates(tools: LaunchTools, cluster: string, nodeClass: string): Promise<void> {
  const templates = await listOurs(tools.client, cluster, [{ Name: `tag:${NODE_CLASS}`, Values: [nodeClass] }]);
  const [first] = await despiteRefusals(templates, (one) => deleteTemplate(tools, one));
  if (first !== undefined) throw first;
}

/**
 * Deletes launch templates of a cluster that were created a day ago and that this process has not used since: EC2 has a limit of 5,000 in
 * a region. Karpenter deletes templates that it has not used for a minute, which may break a launch (C57). EC2 does not report when a
 * template was last used. A launch of another process creates its template again (C52).
 */
export class OldLaunchTemplates {
  readonly #tools: LaunchTools;
  readonly #clock: Clock;
  readonly #lookedAtMs = new Map<string, number>();
  /** The templates that the last run left to the next one. */
  readonly #left = new Map<string, readonly LaunchTemplate[]>();
  /** The ids of templates that could not be deleted: they are tried after the others. */
  readonly #failed = new Set<string>();
  readonly #rooms = new Map<string, { readonly atMs: number; readonly made: Promise<void> }>();

  constructor(tools: LaunchTools, clock: Clock) {
    this.#tools = tools;
    this.#clock = clock;
  }

  /** *Errors:* the first refusal, after all others were tried. */
  async remove(cluster: string): Promise<void> {
    const nowMs = this.#clock.now();
    let listed = this.#left.get(cluster) ?? [];
    this.#left.delete(cluster);
    if (listed.length === 0) {
      if (nowMs - (this.#lookedAtMs.get(cluster) ?? Number.NEGATIVE_INFINITY) < LOOK_AGAIN_MS) return;
      this.#lookedAtMs.set(cluster, nowMs);
      listed = await listOurs(this.#tools.client, cluster, []);
    }
    const old = this.#unused(listed, UNUSED_MS);
    const [first] = await this.#deleteSome(old);
    if (first !== undefined) throw first;
    this.#left.set(cluster, old.slice(MAX_AT_ONCE));
  }

  /**
   * Deletes the templates that were not used for the longest time, so that EC2 accepts others. Refusals are left to `remove`, which
   * reports them. *Cost:* at most once a minute, regardless of the number of calls, which all wait for it.
   */
  async makeRoom(cluster: string): Promise<void> {
    const atMs = this.#clock.now();
    const last = this.#rooms.get(cluster);
    const isRecent = last !== undefined && atMs - last.atMs < ROOM.everyMs;
    const room = isRecent ? last : { atMs, made: this.#deleteOldest(cluster) };
    this.#rooms.set(cluster, room);
    await room.made;
  }

  async #deleteOldest(cluster: string): Promise<void> {
    await this.#deleteSome(this.#unused(await listOurs(this.#tools.client, cluster, []), ROOM.unusedMs));
  }

  async #deleteSome(templates: readonly LaunchTemplate[]): Promise<readonly RefusedError[]> {
    return await despiteRefusals(templates.slice(0, MAX_AT_ONCE), (one) => this.#delete(one));
  }

  /** Those that are older than this, by creation and known use. *Shape:* the oldest first, and last those that could not be deleted. */
  #unused(listed: readonly LaunchTemplate[], forMs: number): readonly LaunchTemplate[] {
    const beforeMs = this.#clock.now() - forMs;
    const old = listed
      .map((template) => ({ template, atMs: this.#lastUseMs(template) }))
      .filter(({ atMs }) => atMs < beforeMs)
      .toSorted((a, b) => a.atMs - b.atMs);
    return this.#failedLast(old.map(({ template }) => template));
  }

  /** The latest time at which this process knows of the template. *Shape:* infinite for a template that is not Kerf's. */
  #lastUseMs({ LaunchTemplateName: name = '', CreateTime }: LaunchTemplate): number {
    if (!name.startsWith(LAUNCH_TEMPLATE_PREFIX) || CreateTime === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(CreateTime.getTime(), this.#tools.templates.usedAtMs(name) ?? 0);
  }

  #failedLast(templates: readonly LaunchTemplate[]): readonly LaunchTemplate[] {
    const hasFailed = ({ LaunchTemplateId: id = '' }: LaunchTemplate): boolean => this.#failed.has(id);
    return [...templates.filter((one) => !hasFailed(one)), ...templates.filter(hasFailed)];
  }

  async #delete(template: LaunchTemplate): Promise<void> {
    const { LaunchTemplateId: id = '' } = template;
    this.#failed.add(id);
    await deleteTemplate(this.#tools, template);
    this.#failed.delete(id);
  }
}

async function listOurs(
  client: EC2Client,
  cluster: string,
  more: readonly Filter[],
): Promise<readonly LaunchTemplate[]> {
  const Filters = [{ Name: `tag:${CLUSTER_TAG}`, Values: [cluster] }, ...more];
  const templates = await allPages('describe launch templates', async (token) => {
    const answer = await client.send(
      new DescribeLaunchTemplatesCommand({ Filters, ...optional({ NextToken: token }) }),
    );
    return { items: answer.LaunchTemplates, next: answer.NextToken };
  });
  // Promise 4: checked again here, in case the filter was ignored.
  return templates.filter(({ Tags = [] }) => Tags.some(({ Key, Value }) => Key === CLUSTER_TAG && Value === cluster));
}

async function deleteTemplate(
  { client, templates }: LaunchTools,
  { LaunchTemplateName: name, LaunchTemplateId }: LaunchTemplate,
): Promise<void> {
  if (name === undefined || LaunchTemplateId === undefined) return;
  await translated(`delete launch template ${LaunchTemplateId}`, async () => {
    try {
      await client.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId }));
    } catch (thrown) {
      if (!isTemplateMissing(errorNameOf(thrown))) throw thrown;
    }
  });
  templates.forget(name);
}
