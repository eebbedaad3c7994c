import {
  DeleteLaunchTemplateCommand,
  DescribeLaunchTemplatesCommand,
  type EC2Client,
  type Filter,
  type LaunchTemplate,
} from '@aws-sdk/client-ec2';
import { DAY_MS, HOUR_MS } from '../../../apis/formats/time.ts';
import { NODE_CLASS } from '../../../apis/labels.ts';
import { optional } from '../../../apis/optional.ts';
import { CLUSTER_TAG } from '../../../core/model/ownership-tags.ts';
import type { Clock } from '../../../ports/clock.ts';
import { despiteRefusals } from '../client/despite-refusals.ts';
import { errorNameOf, isTemplateMissing, translated } from '../client/errors.ts';
import { allPages } from '../client/pages.ts';
import type { LaunchTools } from './launch.ts';
import { LAUNCH_TEMPLATE_PREFIX } from './launch-template.ts';

/** Template names are derived from their content, so a launch recreates a template that was deleted (C52). */
const OLD_MS = 30 * DAY_MS;
const LOOK_AGAIN_MS = HOUR_MS;
/** Limits the calls of one run; the next run continues. */
const MAX_AT_ONCE = 20;

/** A3.30: deletes the launch templates of a class, found by their tags. *Errors:* the first refusal, after all others were tried. */
export async function deleteLaunchTemplates(tools: LaunchTools, cluster: string, nodeClass: string): Promise<void> {
  const templates = await listOurs(tools.client, cluster, [{ Name: `tag:${NODE_CLASS}`, Values: [nodeClass] }]);
  const [first] = await despiteRefusals(templates, (one) => deleteTemplate(tools, one));
  if (first !== undefined) throw first;
}

/**
 * Deletes launch templates of a cluster that are older than any launch in progress. Karpenter deletes templates that it has
 * not used for a minute, which may break a launch (C57). EC2 does not report when a template was last used.
 */
export class OldLaunchTemplates {
  readonly #tools: LaunchTools;
  readonly #clock: Clock;
  readonly #lookedAtMs = new Map<string, number>();
  /** The ids of templates that could not be deleted: they are tried after the others. */
  readonly #failed = new Set<string>();

  constructor(tools: LaunchTools, clock: Clock) {
    this.#tools = tools;
    this.#clock = clock;
  }

  /** *Errors:* the first refusal, after all others were tried. */
  async remove(cluster: string): Promise<void> {
    const nowMs = this.#clock.now();
    if (nowMs - (this.#lookedAtMs.get(cluster) ?? Number.NEGATIVE_INFINITY) < LOOK_AGAIN_MS) return;
    this.#lookedAtMs.set(cluster, nowMs);
    const old = (await listOurs(this.#tools.client, cluster, []))
      .filter(({ LaunchTemplateName = '' }) => LaunchTemplateName.startsWith(LAUNCH_TEMPLATE_PREFIX))
      .filter(({ CreateTime }) => CreateTime !== undefined && nowMs - CreateTime.getTime() > OLD_MS)
      .toSorted((a, b) => (a.CreateTime?.getTime() ?? 0) - (b.CreateTime?.getTime() ?? 0));
    const [first] = await despiteRefusals(this.#failedLast(old).slice(0, MAX_AT_ONCE), (one) => this.#delete(one));
    if (first !== undefined) throw first;
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
