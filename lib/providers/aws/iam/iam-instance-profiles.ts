import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  type IAMClient,
  RemoveRoleFromInstanceProfileCommand,
  TagInstanceProfileCommand,
  UntagInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { HOUR_MS, MINUTE_MS } from '../../../apis/formats/time.ts';
import { NODE_CLASS, REGION } from '../../../apis/labels.ts';
import { ownershipTags } from '../../../core/model/ownership-tags.ts';
import {
  instanceProfileNameOf,
  managedProfilePath,
  type ProfilePlace,
  profileOwnerOf,
} from '../../../core/node-class/instance-profile-name.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { InstanceProfileState } from '../../../ports/cloud-provider.ts';
import { RefusedError, UnreachableError } from '../../../ports/errors.ts';
import { despiteRefusals } from '../client/despite-refusals.ts';
import { isEntityLimit, isEntityMissing, isEntityTaken, translated } from '../client/errors.ts';
import { AnswerCache } from '../client/kept-answers.ts';
import type { InstanceProfiles } from './instance-profiles.ts';
import {
  deleteProfile,
  findProfile,
  isManaged,
  listManaged,
  MANAGED_TAGS,
  type Profile,
  UNUSED_SINCE,
} from './managed-profiles.ts';

/** C67: longer than any launch with a frozen profile takes. */
const PROTECTED_MS = HOUR_MS;
/** C67. */
const SWEEP_MS = HOUR_MS / 2;
/** How long a profile is cached. A deleted profile is noticed after this time. */
const KEEP_MS = 10 * MINUTE_MS;

/** Finds, creates, repairs and deletes the instance profiles of nodes (A3.10, C67). */
export class IamInstanceProfiles implements InstanceProfiles {
  readonly #client: IAMClient;
  readonly #clock: Clock;
  readonly #ready: AnswerCache<InstanceProfileState>;
  readonly #sweptAtMs = new Map<string, number>();

  constructor({ client, clock }: { readonly client: IAMClient; readonly clock: Clock }) {
    this.#client = client;
    this.#clock = clock;
    this.#ready = new AnswerCache(clock, ({ kind }) => kind === 'ready');
  }

  async ensure(place: ProfilePlace, nodeClass: EC2NodeClass): Promise<InstanceProfileState> {
    const name = instanceProfileNameOf(place, nodeClass);
    const where = `EC2NodeClass ${nodeClass.metadata.name}`;
    if (name === undefined) {
      return notReady('InstanceProfileNotFound', `${where} has neither role nor instanceProfile; set one`);
    }
    const { instanceProfile, role } = nodeClass.spec;
    try {
      return await this.#ready.ask({ key: name, keepMs: KEEP_MS }, async () => {
        if (instanceProfile !== undefined || role === undefined) return await this.#look(where, name);
        return await this.#mend({ place, nodeClass, name, role });
      });
    } catch (error) {
      if (error instanceof RefusedError) return notReady('Refused', `${where}: ${error.message}`);
      throw error;
    }
  }

  async removeUnused(
    place: ProfilePlace,
    nodeClasses: readonly EC2NodeClass[],
    isUsed: (arn: string) => Promise<boolean>,
  ): Promise<void> {
    const nowMs = this.#clock.now();
    const sweptAtMs = this.#sweptAtMs.get(place.cluster);
    if (sweptAtMs !== undefined && nowMs - sweptAtMs < SWEEP_MS) return;
    const wanted = new Set(nodeClasses.map((nodeClass) => instanceProfileNameOf(place, nodeClass)));
    const [first] = await despiteRefusals(await listManaged(this.#client, place), async (profile) => {
      const keep = wanted.has(profile.name) || (await isUsed(profile.arn));
      if (keep) await this.#wantAgain(profile);
      else await this.#letGo(profile);
    });
    this.#sweptAtMs.set(place.cluster, nowMs);
    if (first !== undefined) throw first;
  }

  async release(place: ProfilePlace, nodeClass: EC2NodeClass): Promise<void> {
    for (const profile of await listManaged(this.#client, place, profileOwnerOf(nodeClass))) {
      this.#ready.forget(profile.name);
      await deleteProfile(this.#client, profile);
    }
  }

  /** A3.10: a profile in spec.instanceProfile is never created. */
  async #look(where: string, name: string): Promise<InstanceProfileState> {
    if ((await findProfile(this.#client, name)) !== undefined) return { kind: 'ready', name };
    const message = `${where}: instance profile ${name} does not exist; create it, or set spec.role to have one created`;
    return notReady('InstanceProfileNotFound', message);
  }

  async #mend(made: MadeFor): Promise<InstanceProfileState> {
    const { place, nodeClass, name, role } = made;
    const profile = (await findProfile(this.#client, name)) ?? (await this.#create(made));
    if (!isManaged(place, profile)) {
      const message = `EC2NodeClass ${nodeClass.metadata.name}: instance profile ${name} already exists and was not created by Kerf; delete it, or set spec.instanceProfile`;
      return notReady('InstanceProfileConflict', message);
    }
    await this.#wantAgain(profile);
    if (profile.roles.includes(role)) return { kind: 'ready', name };
    for (const RoleName of profile.roles) {
      const other = new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName: name, RoleName });
      await translated(`remove role ${RoleName} from instance profile ${name}`, () => this.#client.send(other));
    }
    return await this.#addRole(made);
  }

  async #create({ place, nodeClass, name }: MadeFor): Promise<Profile> {
    const tags = {
      ...nodeClass.spec.tags,
      [NODE_CLASS]: nodeClass.metadata.name,
      [REGION]: place.region,
      ...MANAGED_TAGS,
      ...ownershipTags(place.cluster),
    };
    const command = new CreateInstanceProfileCommand({
      InstanceProfileName: name,
      Path: managedProfilePath(place, profileOwnerOf(nodeClass)),
      Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    });
    return await translated(`create instance profile ${name}`, async () => {
      try {
        const { InstanceProfile: created } = await this.#client.send(command);
        return { name, arn: created?.Arn ?? '', path: command.input.Path ?? '', roles: [], tags };
      } catch (thrown) {
        // Another run created it.
        const other = isEntityTaken(thrown) ? await findProfile(this.#client, name) : undefined;
        if (other === undefined) throw thrown;
        return other;
      }
    });
  }

  async #addRole({ nodeClass, name, role }: MadeFor): Promise<InstanceProfileState> {
    const command = new AddRoleToInstanceProfileCommand({ InstanceProfileName: name, RoleName: role });
    try {
      await this.#client.send(command);
    } catch (thrown) {
      if (isEntityMissing(thrown)) return roleMissing({ nodeClass, name, role }, thrown);
      // A profile has one role, which another run has added meanwhile.
      const now = isEntityLimit(thrown) ? await findProfile(this.#client, name) : undefined;
      if (now?.roles.includes(role) !== true) {
        return await translated(`add role ${role} to instance profile ${name}`, () => Promise.reject(thrown));
      }
    }
    return { kind: 'ready', name };
  }

  /** Marks a profile when it is first seen unused, and deletes it an hour later. */
  async #letGo(profile: Profile): Promise<void> {
    const sinceMs = Number(profile.tags[UNUSED_SINCE]);
    if (this.#clock.now() - sinceMs >= PROTECTED_MS) {
      this.#ready.forget(profile.name);
      return await deleteProfile(this.#client, profile);
    }
    if (sinceMs > 0) return;
    const mark = { Key: UNUSED_SINCE, Value: String(this.#clock.now()) };
    const command = new TagInstanceProfileCommand({ InstanceProfileName: profile.name, Tags: [mark] });
    await translated(`mark instance profile ${profile.name} as unused`, () => this.#client.send(command));
  }

  async #wantAgain({ name, tags }: Profile): Promise<void> {
    if (tags[UNUSED_SINCE] === undefined) return;
    const command = new UntagInstanceProfileCommand({ InstanceProfileName: name, TagKeys: [UNUSED_SINCE] });
    await translated(`mark instance profile ${name} as used`, () => this.#client.send(command));
  }
}

interface MadeFor {
  readonly place: ProfilePlace;
  readonly nodeClass: EC2NodeClass;
  readonly name: string;
  readonly role: string;
}

/** IAM returns the same error for a profile that is not yet replicated; then the call is retried. */
function roleMissing({ nodeClass, name, role }: Omit<MadeFor, 'place'>, thrown: unknown): InstanceProfileState {
  const message = thrown instanceof Error ? thrown.message : '';
  if (/instance profile/i.test(message)) {
    throw new UnreachableError(`add role ${role} to instance profile ${name}: ${message}`, { cause: thrown });
  }
  return notReady(
    'RoleNotFound',
    `EC2NodeClass ${nodeClass.metadata.name}: IAM role ${role} does not exist; create it, or correct spec.role`,
  );
}

function notReady(
  reason: (InstanceProfileState & { readonly kind: 'not-ready' })['reason'],
  message: string,
): InstanceProfileState {
  return { kind: 'not-ready', reason, message };
}
