import {
  BOOLEAN,
  closed,
  enumSchema,
  LIST,
  listOf,
  mapOf,
  OBJECT,
  QUANTITY,
  type Schema,
  STRING,
  STRINGS,
  TEXT,
  textSchema,
} from './schema.ts';

const PORT: Schema = { type: 'integer', minimum: 1, maximum: 65_535 };

export const RESOURCE_REQUIREMENTS: Schema = closed({
  requests: mapOf('qualified-name', QUANTITY),
  limits: mapOf('qualified-name', QUANTITY),
  claims: listOf(closed({ name: TEXT, request: STRING }, ['name'])),
});

const FIELDS: Readonly<Record<string, Schema>> = {
  name: textSchema('dns-label'),
  image: STRING,
  imagePullPolicy: enumSchema('Always', 'IfNotPresent', 'Never'),
  command: STRINGS,
  args: STRINGS,
  workingDir: STRING,
  env: listOf(closed({ name: TEXT, value: STRING, valueFrom: OBJECT }, ['name'])),
  envFrom: LIST,
  ports: listOf(
    closed(
      {
        name: STRING,
        containerPort: PORT,
        hostPort: { ...PORT, minimum: 0 },
        hostIP: STRING,
        protocol: enumSchema('TCP', 'UDP', 'SCTP'),
      },
      ['containerPort'],
    ),
  ),
  resources: RESOURCE_REQUIREMENTS,
  resizePolicy: listOf(
    closed({ resourceName: TEXT, restartPolicy: enumSchema('NotRequired', 'RestartContainer') }, [
      'resourceName',
      'restartPolicy',
    ]),
  ),
  restartPolicy: enumSchema('Always', 'OnFailure', 'Never'),
  restartPolicyRules: LIST,
  volumeMounts: listOf(
    closed(
      {
        name: TEXT,
        mountPath: TEXT,
        mountPropagation: STRING,
        readOnly: BOOLEAN,
        recursiveReadOnly: STRING,
        subPath: STRING,
        subPathExpr: STRING,
      },
      ['name', 'mountPath'],
    ),
  ),
  volumeDevices: LIST,
  livenessProbe: OBJECT,
  readinessProbe: OBJECT,
  startupProbe: OBJECT,
  lifecycle: OBJECT,
  securityContext: OBJECT,
  stdin: BOOLEAN,
  stdinOnce: BOOLEAN,
  tty: BOOLEAN,
  terminationMessagePath: STRING,
  terminationMessagePolicy: enumSchema('File', 'FallbackToLogsOnError'),
};

export const CONTAINER: Schema = closed(FIELDS, ['name']);
export const EPHEMERAL_CONTAINER: Schema = closed({ ...FIELDS, targetContainerName: STRING }, ['name']);
