import { expect, test } from 'vitest';
import { credentialsProblem } from '../../../lib/operator/wiring/shell-account.ts';

test.each([
  [
    'Could not load credentials from any providers',
    undefined,
    /^no AWS credentials were found: sign in \(aws sso login\), or set AWS_PROFILE$/,
  ],
  [
    'Could not load credentials from any providers',
    'prod',
    /^no AWS credentials were found for profile prod: check AWS_PROFILE/,
  ],
  [
    'The SSO session token associated with profile=prod was not found or is invalid.',
    'prod',
    /^the AWS sign-in session of profile prod is missing or has expired: run aws sso login --profile prod$/,
  ],
  [
    'Token is expired. To refresh this SSO session run aws sso login',
    '',
    /^the AWS sign-in session is missing or has expired: run aws sso login$/,
  ],
])('"%s" with profile %s is one sentence with what to do', (message, profile, sentence) => {
  expect(credentialsProblem(message, profile)).toMatch(sentence);
});
