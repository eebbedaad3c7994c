import { describe, expect, test } from 'vitest';
import { isAnswerAddress } from '../../../lib/operator/lambda/answer-address.ts';

const BUCKET = 'cloudformation-custom-resource-response';

describe('the address of CloudFormation for the responses of custom resources', () => {
  test.each([
    ['us-east-1', `https://${BUCKET}-useast1.s3.amazonaws.com/arn%3Aaws?X-Amz-Signature=1`],
    ['us-east-2', `https://${BUCKET}-useast2.s3.us-east-2.amazonaws.com/key`],
    ['eu-west-1', `https://${BUCKET}-euwest1.s3-eu-west-1.amazonaws.com/key`],
    ['us-gov-west-1', `https://${BUCKET}-usgovwest1.s3.us-gov-west-1.amazonaws.com/key`],
    ['cn-north-1', `https://${BUCKET}-cnnorth1.s3.cn-north-1.amazonaws.com.cn/key`],
  ])('in %s may be %s', (region, url) => {
    expect(isAnswerAddress(url, { region })).toBe(true);
  });

  test.each([
    `http://${BUCKET}-useast2.s3.us-east-2.amazonaws.com/key`,
    `https://${BUCKET}-useast2.s3.us-east-2.amazonaws.com:8443/key`,
    `https://user@${BUCKET}-useast2.s3.us-east-2.amazonaws.com/key`,
    `https://${BUCKET}-useast2.s3.us-east-2.amazonaws.com.evil.test/key`,
    `https://${BUCKET}-useast2.s3.us-east-2.amazonaws.com@evil.test/key`,
    // A bucket of anybody.
    `https://${BUCKET}-evil.s3.us-east-2.amazonaws.com/key`,
    `https://${BUCKET}-us-east-2.s3.us-east-2.amazonaws.com/key`,
    `https://x.${BUCKET}-useast2.s3.us-east-2.amazonaws.com/key`,
    // A path may name another bucket.
    `https://s3.us-east-2.amazonaws.com/${BUCKET}-useast2/key`,
    // Another region.
    `https://${BUCKET}-euwest1.s3.eu-west-1.amazonaws.com/key`,
    'https://169.254.169.254/latest',
    'file:///etc/passwd',
    '',
  ])('is not %s', (url) => {
    expect(isAnswerAddress(url, { region: 'us-east-2' })).toBe(false);
  });

  test('of an emulator is at its endpoint, and nowhere else', () => {
    const place = { region: 'us-east-1', endpoint: 'http://127.0.0.1:4566' };
    expect(isAnswerAddress('http://127.0.0.1:4566/cfn-response/1', place)).toBe(true);
    expect(isAnswerAddress('http://127.0.0.1:4567/cfn-response/1', place)).toBe(false);
    expect(isAnswerAddress(`https://${BUCKET}-useast1.s3.amazonaws.com/`, place)).toBe(false);
  });
});
