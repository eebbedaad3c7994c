/* Generated from lib/apis/schemas by `npm run generate`: do not edit. */
import type { ObjectMeta, PodTemplate } from '../kubernetes.ts';

/**
 * The events of a simulation with `kerf simulate`, and their times. It is not installed in a cluster.
 */
export interface ScenarioManifest {
  apiVersion: 'kerf.dev/v1alpha1';
  kind: 'Scenario';
  metadata: ObjectMeta;
  spec: {
    /**
     * The seed of the random numbers. The same seed gives the same output. The option --seed overrides it. Default: 1.
     */
    seed?: number;
    /**
     * The AWS region, if no NodePool names a zone. The option --region overrides it.
     */
    region?: string;
    /**
     * The simulated time, such as 24h. The option --for overrides it. Default: 1h.
     */
    duration?: string;
    /**
     * The events. Each has `at` and exactly one of the other fields. The order of the list does not matter.
     */
    events?: ScenarioManifestEvent[];
    /**
     * The CPU that workloads use over time. A HorizontalPodAutoscaler sets the replicas of its target by it.
     */
    usage?: {
      /**
       * The workload: StatefulSet/NAME, ReplicaSet/NAME or Deployment/NAME in the namespace default, or KIND/NAMESPACE/NAME.
       */
      target: string;
      /**
       * Points of the curve. Between them, the usage is linear; after the last one, it stays.
       */
      cpu: {
        /**
         * The time from the start of the simulation, such as 8h.
         */
        at: string;
        /**
         * The cores that all pods of the workload use together.
         */
        total: number;
      }[];
      /**
       * The curve begins again after each such time, for example 24h. Default: it does not.
       */
      repeats?: string;
    }[];
    /**
     * Pods that come and go. Each pod is a Job, which ends with it.
     */
    loads?: ScenarioManifestLoad[];
    /**
     * Pods that arrive as in a file. Each pod is a Job, which ends with it.
     */
    trace?: {
      /**
       * A CSV file; its path is relative to the file of the Scenario. Its first line names the columns, in any order: time and lifetime (seconds, or a duration such as 1h30m; time counts from the start of the simulation), cpu and memory (Kubernetes quantities, such as 500m and 2Gi; a number is cores, or bytes), and optionally count (the pods of the line; default 1).
       */
      file: string;
      /**
       * The template of the pods. The cpu and memory of a line replace the requests of its first container. Default: one container.
       */
      template?: PodTemplate;
    };
    /**
     * Spot interruptions at random times. Each entry has ratePercentPerHour or perHour.
     */
    spotInterruptions?: ScenarioManifestSpotInterruptions[];
  };
}
export interface ScenarioManifestEvent {
  /**
   * The time of the event from the start of the simulation, such as 10m.
   */
  at: string;
  /**
   * Changes the replicas of a workload. Exactly one of deployment and workload names it.
   */
  scale?: {
    /**
     * The workload: StatefulSet/NAME, ReplicaSet/NAME or Deployment/NAME in the namespace default, or KIND/NAMESPACE/NAME.
     */
    workload?: string;
    /**
     * The Deployment: its name in the namespace default, or namespace/name.
     */
    deployment?: string;
    /**
     * The new number of replicas.
     */
    replicas: number;
  };
  /**
   * Deletes a Node, as `kubectl delete node` does. Exactly one of the fields chooses it.
   */
  deleteNode?: {
    /**
     * The name of the Node.
     */
    name?: string;
    /**
     * Any Node of this NodePool; the seed chooses it.
     */
    nodePool?: string;
    /**
     * true: any Node; the seed chooses it.
     */
    any?: boolean;
  };
  /**
   * EC2 interrupts running spot instances: it sends the warning, and terminates them two minutes later. The seed chooses among those that match all fields.
   */
  interruptSpot?: {
    /**
     * The name of a NodePool. Default: all NodePools.
     */
    nodePool?: string;
    /**
     * The names of zones, such as us-east-1a. Default: all zones.
     */
    zones?: string[];
    /**
     * The names of instance types, such as m7g.large. Default: all types.
     */
    instanceTypes?: string[];
    /**
     * The number of instances. If fewer match, all of these. Default: 1.
     */
    count?: number;
  };
  /**
   * EC2 refuses launches: it has no capacity for the offerings that match all fields. Running instances stay.
   */
  withoutCapacity?: {
    /**
     * The names of instance types, such as m7g.large. Default: all types.
     */
    instanceTypes?: string[];
    /**
     * The names of zones, such as us-east-1a. Default: all zones.
     */
    zones?: string[];
    /**
     * on-demand, spot or reserved. Default: all of them.
     */
    capacityTypes?: ('on-demand' | 'spot' | 'reserved')[];
    /**
     * How long it lasts, such as 10m or 1h30m. Default: until the end of the simulation.
     */
    for?: string;
  };
  /**
   * A zone fails. EC2 has no capacity there until the outage is over.
   */
  zoneOutage?: {
    /**
     * The name of the zone, such as us-east-1a.
     */
    zone: string;
    /**
     * How long it lasts, such as 10m or 1h30m. Default: until the end of the simulation.
     */
    for?: string;
    /**
     * true: the instances of the zone lose power too. Their nodes become NotReady after 50 seconds, and their pods are evicted after their tolerations, as Kubernetes does. The status checks of the instances fail. When the outage is over, the instances that still exist start again. Default: false.
     */
    nodes?: boolean;
  };
  /**
   * An AWS API or the API server throttles Kerf: a share of its calls fail before they have an effect.
   */
  throttle?: {
    /**
     * The API that throttles.
     */
    api: 'ec2' | 'iam' | 'eks' | 'kubernetes' | 'dynamodb' | 'sqs';
    /**
     * The share of the calls that fail, after the retries of the SDK. Default: 50.
     */
    percent?: number;
    /**
     * How long it lasts, such as 10m or 1h30m. Default: until the end of the simulation.
     */
    for?: string;
  };
  /**
   * Instances that are launched in this time boot slowly, or never register as nodes.
   */
  boots?: {
    /**
     * The additional time until an instance registers as a node, such as 5m.
     */
    slowBy?: string;
    /**
     * The share of the instances that never register. Default: 0.
     */
    failPercent?: number;
    /**
     * The names of instance types, such as m7g.large. Default: all types.
     */
    instanceTypes?: string[];
    /**
     * The names of zones, such as us-east-1a. Default: all zones.
     */
    zones?: string[];
    /**
     * How long it lasts, such as 10m or 1h30m. Default: until the end of the simulation.
     */
    for?: string;
  };
  /**
   * A quota of the account for the vCPUs of running instances. A launch above it is refused: VcpuLimitExceeded, or MaxSpotInstanceCountExceeded for spot. Of several quotas for one group, the lowest applies.
   */
  quota?: {
    /**
     * on-demand, which includes reserved capacity, or spot. EC2 has a quota for each.
     */
    capacityType: 'on-demand' | 'spot';
    /**
     * The group of instance families as EC2 counts them: standard (a, c, d, h, i, m, r, t, z), g (g and vt), p, x, f, inf, trn, dl, hpc or u. Default: standard.
     */
    family?: 'standard' | 'g' | 'p' | 'x' | 'f' | 'inf' | 'trn' | 'dl' | 'hpc' | 'u';
    /**
     * The quota in vCPUs.
     */
    vcpus: number;
    /**
     * How long it lasts, such as 10m or 1h30m. Default: until the end of the simulation.
     */
    for?: string;
  };
  /**
   * A fault of the fault tester (docs/faults.md), by its name. Each kind has its own fields.
   */
  fault?: {
    /**
     * The name of the fault.
     */
    kind:
      | 'calls-fail'
      | 'calls-hang'
      | 'calls-slow'
      | 'cut-off'
      | 'object-refused'
      | 'messages'
      | 'clocks'
      | 'webhook-down'
      | 'listed-late'
      | 'odd-launches'
      | 'no-capacity'
      | 'machines'
      | 'spot-volley'
      | 'impaired'
      | 'by-hand'
      | 'node-pool'
      | 'node-class'
      | 'slow-pods'
      | 'volumes-stay'
      | 'scheduler-down'
      | 'other-autoscaler';
    /**
     * How long it lasts, such as 10m or 1h30m. Default: until the end of the simulation.
     */
    for?: string;
    /**
     * The share of the calls, messages, launches, instances or pods that the fault affects. Default: 100.
     */
    percent?: number;
    /**
     * The calls of Kerf that the fault affects: methods of its ports such as store.listNodeClaims, or store.* for all methods of a port. The ports are cluster (the API server), cloud (EC2, EKS and IAM), store, leases and catalogue (DynamoDB), and messages (SQS and EventBridge).
     */
    calls?: string[];
    /**
     * object-refused: one method of a port, such as cluster.evictPod.
     */
    call?: string;
    /**
     * calls-fail: the error of the call. Default: timeout.
     */
    error?: 'forbidden' | 'conflict' | 'gone' | 'too-many-requests' | 'server-error' | 'throttled' | 'timeout';
    /**
     * calls-fail, cut-off: whether the call fails before or after its effect. Default: before.
     */
    where?: 'before' | 'after';
    /**
     * calls-slow, messages, clocks: the longest delay, which the seed chooses. For messages, the default is 5m.
     */
    upTo?: string;
    /**
     * object-refused, by-hand, node-pool, node-class: which object, counted from 0. Default: 0.
     */
    nth?: number;
    /**
     * messages: twice, late or lost. odd-launches: reply-lost, rejected, spent, partial or not-admitted. machines: never-join, late-ready, late-join, late-taint or early-taint.
     */
    how?:
      | 'twice'
      | 'late'
      | 'lost'
      | 'reply-lost'
      | 'rejected'
      | 'spent'
      | 'partial'
      | 'not-admitted'
      | 'never-join'
      | 'late-ready'
      | 'late-join'
      | 'late-taint'
      | 'early-taint';
    /**
     * messages: the queues of these functions. Default: all queues.
     */
    queues?: ('provisioning' | 'lifecycle' | 'disruption' | 'termination' | 'catalogue' | 'interruption')[];
    /**
     * clocks: the functions whose clocks are wrong. Default: all functions.
     */
    functions?: (
      'provisioning' | 'lifecycle' | 'disruption' | 'termination' | 'catalogue' | 'interruption' | 'webhook'
    )[];
    /**
     * listed-late: the age below which EC2 does not list an instance.
     */
    lag?: string;
    /**
     * machines: the additional time. Default: the seed chooses one to ten minutes.
     */
    late?: string;
    /**
     * The names of instance types, such as m7g.large. Default: all types.
     */
    instanceTypes?: string[];
    /**
     * The names of zones, such as us-east-1a. Default: all zones.
     */
    zones?: string[];
    /**
     * on-demand, spot or reserved. Default: all of them.
     */
    capacityTypes?: ('on-demand' | 'spot' | 'reserved')[];
    /**
     * impaired: the number of instances. Default: 1.
     */
    count?: number;
    /**
     * by-hand: what a user does. After the time of `for`, keep-node, hold-pods and remove-tags are undone, the kubelet of stop-kubelet runs again, and that of lose-node registers the removed node again.
     */
    what?:
      | 'delete-node'
      | 'remove-node'
      | 'delete-node-claim'
      | 'delete-pod'
      | 'terminate-instance'
      | 'remove-tags'
      | 'cordon-node'
      | 'keep-node'
      | 'lose-node'
      | 'stop-kubelet'
      | 'hold-pods';
    /**
     * node-pool: what a user does with it.
     */
    change?: 'fewer' | 'more' | 'weight' | 'budget' | 'template' | 'delete' | 'replace' | 'replicas';
  };
  /**
   * Deletes a pod with its grace period, as `kubectl delete pod` does.
   */
  deletePod?: {
    /**
     * The pod: its name in the namespace default, or namespace/name.
     */
    pod: string;
  };
  /**
   * AWS publishes new images. An alias with @latest selects them from then on, so nodes with the old images drift.
   */
  releaseImages?: {
    /**
     * The version of the images, such as v20260115.
     */
    version: string;
  };
}
export interface ScenarioManifestLoad {
  /**
   * The name of the load, with which the names of its Jobs begin.
   */
  name: string;
  /**
   * The namespace of its pods. Default: default.
   */
  namespace?: string;
  /**
   * The CPU request of a pod, such as 500m. Not with template.
   */
  cpu?: string | number;
  /**
   * The memory request of a pod, such as 1Gi. Not with template.
   */
  memory?: string | number;
  /**
   * The template of the pods, as in a Job. Its restartPolicy is Never if it has none.
   */
  template?: PodTemplate;
  /**
   * When pods arrive. Exactly one of the fields.
   */
  arrivals: {
    /**
     * Pods arrive independently of each other.
     */
    poisson?: {
      /**
       * The mean number of pods an hour.
       */
      perHour: number;
    };
    /**
     * Pods arrive independently of each other. Their number an hour follows a cosine with a period of 24 hours.
     */
    diurnal?: {
      /**
       * The mean number of pods an hour at the peak.
       */
      peakPerHour: number;
      /**
       * The mean number of pods an hour 12 hours after the peak. Default: 0.
       */
      troughPerHour?: number;
      /**
       * The time of the peak, from the start of the simulation, which is midnight, such as 14h.
       */
      peakAt: string;
    };
    /**
     * Pods arrive together at regular times, the first ones when the load begins.
     */
    batch?: {
      /**
       * The time from one batch to the next.
       */
      every: string;
      /**
       * The number of pods of a batch.
       */
      pods: number;
    };
  };
  /**
   * How long a pod runs. A pod that is evicted runs again from the beginning. Exactly one of the fields.
   */
  lifetime: {
    /**
     * Every pod runs for this time.
     */
    fixed?: string;
    /**
     * The times have an exponential distribution with this mean.
     */
    exponential?: string;
  };
  /**
   * The most pods of the load at one time, pending ones included. Pods that arrive at the limit are dropped, and the timeline says how many. Default: no limit.
   */
  limit?: number;
  /**
   * When it begins, from the start of the simulation. Default: at the start.
   */
  from?: string;
  /**
   * When it ends, from the start of the simulation. Default: at the end of the simulation.
   */
  to?: string;
}
export interface ScenarioManifestSpotInterruptions {
  /**
   * The share of the running spot instances that EC2 interrupts in an hour. Each instance has this risk independently of the others. Not with perHour.
   */
  ratePercentPerHour?: number;
  /**
   * The mean number of interruptions an hour, however many instances run. The seed chooses the instances. Not with ratePercentPerHour.
   */
  perHour?: number;
  /**
   * The name of a NodePool. Default: all NodePools.
   */
  nodePool?: string;
  /**
   * The names of zones, such as us-east-1a. Default: all zones.
   */
  zones?: string[];
  /**
   * The names of instance types, such as m7g.large. Default: all types.
   */
  instanceTypes?: string[];
  /**
   * When it begins, from the start of the simulation. Default: at the start.
   */
  from?: string;
  /**
   * When it ends, from the start of the simulation. Default: at the end of the simulation.
   */
  to?: string;
}
