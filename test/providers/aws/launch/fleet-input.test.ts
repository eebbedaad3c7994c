import type { CreateFleetCommandInput } from '@aws-sdk/client-ec2';
import { describe, expect, test } from 'vitest';
import type { LaunchRequest } from '../../../../lib/core/model/node-claim-record.ts';
import { fleetInput } from '../../../../lib/providers/aws/launch/fleet-input.ts';
import { launchTemplateOf } from '../../../../lib/providers/aws/launch/launch-template.ts';
import { aTemplate } from '../../../builders/launch-templates.ts';
import { aFleet } from '../../../builders/node-claims.ts';
import { aLaunchOfTwoTypes } from '../../../contract/records.ts';

function inputOf(request: LaunchRequest): CreateFleetCommandInput {
  return fleetInput(
    request,
    request.templates.map((spec) => launchTemplateOf(request, spec)),
  );
}

describe('a CreateFleet call', () => {
  test.each([
    ['on-demand', undefined, 'on-demand', { OnDemandOptions: { AllocationStrategy: 'lowest-price' } }],
    ['spot', undefined, 'spot', { SpotOptions: { AllocationStrategy: 'price-capacity-optimized' } }],
    ['reserved', 'default', 'on-demand', { OnDemandOptions: { AllocationStrategy: 'lowest-price' } }],
    ['reserved', 'capacity-block', 'capacity-block', {}],
    [
      'reserved',
      'interruptible',
      'reserved-capacity',
      { ReservedCapacityOptions: { ReservationTypes: ['interruptible-capacity-reservation'] } },
    ],
  ] as const)('for %s (%s) asks for %s capacity in its own way (C46, C47)', (...row) => {
    const [capacityType, kind, target, options] = row;
    const reservation = kind === undefined ? {} : { reservation: { id: 'cr-1', kind } };
    const input = inputOf({ ...aFleet(capacityType), templates: [aTemplate(reservation)] });
    expect(input.TargetCapacitySpecification).toEqual({
      TotalTargetCapacity: 1,
      DefaultTargetCapacityType: target,
    });
    const { OnDemandOptions, SpotOptions, ReservedCapacityOptions } = input;
    expect({ OnDemandOptions, SpotOptions, ReservedCapacityOptions }).toEqual({
      OnDemandOptions: undefined,
      SpotOptions: undefined,
      ReservedCapacityOptions: undefined,
      ...options,
    });
  });

  test('passes on the context of the NodeClass (C48)', () => {
    expect(inputOf(aLaunchOfTwoTypes({ context: 'abc' })).Context).toBe('abc');
    expect(inputOf(aLaunchOfTwoTypes()).Context).toBeUndefined();
  });

  test('has each line under the template that it is made with', () => {
    const { overrides } = aLaunchOfTwoTypes();
    const request = aLaunchOfTwoTypes({
      overrides: overrides.map((line, at) => ({ ...line, template: 1 - at })),
      templates: [aTemplate(), aTemplate({ userData: 'other' })],
    });
    const configs = inputOf(request).LaunchTemplateConfigs ?? [];
    expect(configs.map(({ Overrides = [] }) => Overrides.map(({ InstanceType }) => InstanceType))).toEqual([
      ['m6g.large'],
      ['m5.large'],
    ]);
    expect(new Set(configs.map((one) => one.LaunchTemplateSpecification?.LaunchTemplateName)).size).toBe(2);
  });

  test('has whole numbers for priorities, the cheaper the lower, and none where EC2 goes by its own prices (C47)', () => {
    const prices = [0.2, 0.15, 0.2, 1.7];
    const overrides = aLaunchOfTwoTypes()
      .overrides.slice(0, 1)
      .flatMap((line) => prices.map((priceUsdPerHour) => ({ ...line, priceUsdPerHour })));
    const prioritiesOf = (request: LaunchRequest) =>
      inputOf(request).LaunchTemplateConfigs?.[0]?.Overrides?.map(({ Priority }) => Priority);
    expect(prioritiesOf(aLaunchOfTwoTypes({ overrides, prioritized: true }))).toEqual([1, 0, 1, 2]);
    expect(prioritiesOf(aLaunchOfTwoTypes({ overrides }))).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('names a subnet once: not where the template has it (C46, C56)', () => {
    const input = inputOf(aLaunchOfTwoTypes({ templates: [aTemplate({ subnetId: 'subnet-a' })] }));
    const [override] = input.LaunchTemplateConfigs?.[0]?.Overrides ?? [];
    expect(override).toMatchObject({ AvailabilityZone: 'us-east-1a' });
    expect(override).not.toHaveProperty('SubnetId');
  });
});
