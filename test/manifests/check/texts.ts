/** Valid manifests that the tests change, one line at a time. */

export const NODE_CLASS = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: default
spec:
  role: KarpenterNodeRole
  amiSelectorTerms:
    - alias: al2023@latest
  subnetSelectorTerms:
    - tags: {karpenter.sh/discovery: demo}
  securityGroupSelectorTerms:
    - tags: {karpenter.sh/discovery: demo}
  tags: {team: web}
`;

export const NODE_POOL = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
spec:
  template:
    metadata:
      labels: {team: web}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
        - key: karpenter.sh/capacity-type
          operator: In
          values: [spot, on-demand]
        - key: karpenter.k8s.aws/instance-cpu
          operator: Gt
          values: ["3"]
      taints:
        - {key: dedicated, value: web, effect: NoSchedule}
      expireAfter: 720h
  disruption:
    consolidateAfter: 30s
    consolidationPolicy: WhenEmptyOrUnderutilized
    budgets:
      - nodes: 10%
      - nodes: "0"
        schedule: 0 9 * * mon-fri
        duration: 8h
  limits: {cpu: 100, memory: 400Gi}
  weight: 10
`;

export const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 3
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      nodeSelector: {kubernetes.io/arch: amd64}
      tolerations:
        - {key: dedicated, operator: Equal, value: web, effect: NoSchedule}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: topology.kubernetes.io/zone
          whenUnsatisfiable: DoNotSchedule
          labelSelector: {matchLabels: {app: web}}
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
                  - {key: kubernetes.io/os, operator: In, values: [linux]}
      containers:
        - name: web
          image: nginx
          ports: [{containerPort: 80}]
          livenessProbe: {httpGet: {path: /, port: 80}}
          resources:
            requests: {cpu: 500m, memory: 1Gi}
            limits: {memory: 1Gi}
`;

export const STATEFUL_SET = `apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: db
spec:
  replicas: 3
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: db}}
  template:
    metadata:
      labels: {app: db}
    spec:
      containers:
        - name: db
          resources: {requests: {cpu: 500m}}
          volumeMounts: [{name: data, mountPath: /data}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec:
        accessModes: [ReadWriteOnce]
        resources: {requests: {storage: 10Gi}}
`;

export const JOB = `apiVersion: batch/v1
kind: Job
metadata:
  name: resize
spec:
  completions: 10
  parallelism: 2
  template:
    metadata:
      annotations: {kerf.dev/simulated-duration: "10m"}
    spec:
      restartPolicy: Never
      containers:
        - name: resize
          resources: {requests: {cpu: 500m}}
`;

export const CRON_JOB = `apiVersion: batch/v1
kind: CronJob
metadata:
  name: nightly
spec:
  schedule: 0 2 * * *
  timeZone: Europe/Paris
  concurrencyPolicy: Forbid
  jobTemplate:
    metadata: {labels: {team: web}}
    spec:
      template:
        metadata:
          annotations: {kerf.dev/simulated-duration: "10m"}
        spec:
          restartPolicy: Never
          containers:
            - name: report
              resources: {requests: {cpu: 500m}}
`;

export const BUDGET = `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: web
spec:
  minAvailable: 2
  selector:
    matchLabels: {app: web}
`;

export const SCENARIO = `apiVersion: kerf.dev/v1alpha1
kind: Scenario
metadata:
  name: busy
spec:
  seed: 7
  region: eu-west-3
  duration: 2h
  events:
    - at: 30m
      scale: {deployment: web, replicas: 10}
    - at: 10m
      interruptSpot: {nodePool: default}
    - at: 40m
      deleteNode: {any: true}
    - at: 50m
      withoutCapacity: {instanceTypes: [m5.large], capacityTypes: [spot], for: 10m}
    - at: 55m
      deletePod: {pod: shop/web-1}
`;

export const POD = `apiVersion: v1
kind: Pod
metadata:
  name: job
spec:
  containers:
    - name: main
      image: busybox
`;

/** One file of these documents. */
export function join(...documents: readonly string[]): string {
  return documents.join('---\n');
}

/** The text with one part replaced; a part that is not in it is a mistake in the test. */
export function edit(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the manifest has no "${from}"`);
  return text.replace(from, () => to);
}
