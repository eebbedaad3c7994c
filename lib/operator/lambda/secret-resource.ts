/**
 * A custom resource of CloudFormation whose attribute is a random text. CloudFormation keeps the attribute as long as the resource exists,
 * so the text is stored nowhere else. A secret of Secrets Manager would cost 0.40 USD a month.
 */
import { SECRET_ATTRIBUTE } from '../options/options.ts';
import { type AnswerRuntime, isForged, requestOf } from './cloudformation-request.ts';

export interface SecretRuntime extends AnswerRuntime {
  readonly newText: () => string;
}

/** Characters of a second text that names the resource, so that its users are updated after a rotation. */
const NAME_LENGTH = 12;

/** Answers a request to create, update or delete the resource. An event that is not a request of CloudFormation has no effect. */
export async function answerSecretRequest(runtime: SecretRuntime, event: unknown): Promise<void> {
  const request = requestOf(event);
  if (request === undefined || isForged(runtime, request)) return;
  const { type, responseUrl, ids } = request;
  const { put, newText } = runtime;
  const made =
    type === 'Delete'
      ? {}
      : {
          PhysicalResourceId: `webhook-secret-${newText().slice(0, NAME_LENGTH)}`,
          // CloudFormation shows the attribute nowhere.
          NoEcho: true,
          Data: { [SECRET_ATTRIBUTE]: newText() },
        };
  await put(responseUrl, JSON.stringify({ Status: 'SUCCESS', Reason: 'done', ...ids, ...made }));
}
