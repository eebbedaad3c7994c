import { type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  CfnFunction,
  Function as Lambda,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { NetworkOptions } from '../operator/options/cluster-options.ts';
import { type ClusterFunction, VARIABLES } from '../operator/options/options.ts';
import { functionCode } from './bundles/function-code.ts';
import { grantNetworkInterfaces } from './permissions.ts';
import type { DeadLetters, WakeQueue } from './wake-queue.ts';

export interface LambdaFunctionProps {
  /** The folder below `functions/`. */
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: Duration;
  readonly memoryMib: number;
  /** A folder of the repository that is deployed beside the bundle, under the same name. @default - none */
  readonly folder?: string;
  /** The VPC, for the private endpoint of a cluster. @default - no VPC */
  readonly network?: NetworkOptions;
  /** Whether its log is retained after the stack is deleted. @default false */
  readonly keepsLog?: boolean;
  /**
   * Whether Lambda logs only invocations that fail: its three lines of each invocation are most of what a function writes that is called
   * often. For functions without metrics in their log. @default false
   */
  readonly logsOnlyFailures?: boolean;
  /** @default - no reservation */
  readonly reservedConcurrency?: number;
}

/** A function with a queue. */
export interface Woken {
  readonly wakeQueue: WakeQueue;
}

/** Bundles `functions/NAME/handler.ts`, with a log group and a role that may only write to it. */
export class LambdaFunction extends Construct {
  readonly function: Lambda;
  readonly role: Role;
  readonly logGroup: ILogGroup;

  constructor(scope: Construct, id: string, props: LambdaFunctionProps) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: props.keepsLog === true ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logGroup.grantWrite(this.role);
    this.function = new Lambda(this, 'Function', {
      description: `Kerf ${props.name}`,
      code: functionCode(props.name, props.folder),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memoryMib,
      timeout: props.timeout,
      environment: { ...props.environment },
      role: this.role,
      logGroup: this.logGroup,
      // A waiting function sends messages to itself. Lambda would treat 16 of them as a loop and drop messages.
      recursiveLoop: RecursiveLoop.ALLOW,
      // Log lines are already JSON, and CloudWatch reads metrics only from unwrapped lines.
      ...(props.logsOnlyFailures === true
        ? { loggingFormat: LoggingFormat.JSON, systemLogLevelV2: SystemLogLevel.WARN }
        : { loggingFormat: LoggingFormat.TEXT }),
      ...(props.reservedConcurrency !== undefined && { reservedConcurrentExecutions: props.reservedConcurrency }),
    });
    if (props.network !== undefined) this.#runIn(props.network);
  }

  /** Uses the ids in the configuration, because looking up the VPC requires an account at synthesis. */
  #runIn({ vpcId, subnetIds, securityGroupIds }: NetworkOptions): void {
    const resource = this.function.node.defaultChild;
    if (!(resource instanceof CfnFunction)) throw new Error('CDK makes a function of another resource than it did');
    resource.vpcConfig = { subnetIds: [...subnetIds], securityGroupIds: [...securityGroupIds] };
    this.function.addEnvironment(VARIABLES.vpc, vpcId);
    grantNetworkInterfaces(this.role);
    resource.node.addDependency(this.role);
  }

  /**
   * Lets rules of the account and region call it. A tick has nothing that a run depends on, so the rules are not named: each cluster has
   * one. By their ARN, because EventBridge passes no source account: with that condition, Lambda would refuse every call, and nothing would
   * report it. An invocation that fails in each of its three attempts becomes a dead letter, like a wake of a queue.
   * *Source:* awsdocs/aws-cloudformation-user-guide#481; "Using resource-based policies", Amazon EventBridge User Guide.
   */
  admitRules({ queue }: DeadLetters): void {
    this.function.addPermission('Schedules', {
      principal: new ServicePrincipal('events.amazonaws.com'),
      sourceArn: Stack.of(this).formatArn({ service: 'events', resource: 'rule', resourceName: '*' }),
    });
    const resource = this.function.node.defaultChild;
    if (!(resource instanceof CfnFunction)) throw new Error('CDK makes a function of another resource than it did');
    resource.deadLetterConfig = { targetArn: queue.queueArn };
    this.role.addToPrincipalPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }));
    resource.node.addDependency(this.role);
  }

  /** Lets it send to the queues of these functions, and tells it where they are. */
  mayWake(functions: Readonly<Record<ClusterFunction, Woken>>, targets: readonly ClusterFunction[]): void {
    for (const target of targets) {
      const { queue } = functions[target].wakeQueue;
      this.function.addEnvironment(VARIABLES.queue(target), queue.queueUrl);
      this.role.addToPrincipalPolicy(
        new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }),
      );
    }
  }
}
