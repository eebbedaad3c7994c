import type { Reason } from '../model/reasons.ts';

/**
 * One sentence for each reason: what it means and what to do. `npm run generate` writes docs/reasons.md from this table. The functions do not
 * need it, so it is not beside the reasons: it would be 17 kB of each bundle. @internal
 */
export const REASONS: Readonly<Record<Reason, string>> = {
  AMINotFound: 'The amiSelectorTerms of the EC2NodeClass select no image: correct the alias, ids, names or tags.',
  ActionRefused:
    'The Kubernetes API or AWS refuses a change that Kerf has to make: grant the permission or repair the webhook that the message names; Kerf tries again by itself.',
  AmiFamily: 'The AMI family does not support the instance type: use another amiFamily or other instance types.',
  AutoModeActive:
    'EKS Auto Mode is enabled in the cluster, so Kerf does nothing: disable Auto Mode, or set shadow for the cluster.',
  AwaitingReconciliation: 'Kerf has not examined the object yet: wait one minute.',
  AwaitingVolumeDetachment:
    'Volumes of the drained pods are still attached to the node: wait; if it takes long, look at the VolumeAttachments of the node.',
  AwaitsOtherNodes:
    'Pods of the decision must run in one zone with others, so its nodes accept pods together, at the latest 22 seconds after the first has joined: wait.',
  BalancedScore:
    'The move saves too little of the price of the NodePool for the pods that it evicts: set consolidationPolicy to WhenEmptyOrUnderutilized to allow it.',
  BudgetExhausted:
    'The disruption budgets of the NodePool allow no further node now: wait, or change spec.disruption.budgets.',
  BudgetTimeZone:
    'The annotation kerf.dev/budget-time-zone of the NodePool is not the IANA name of a time zone: write a name such as Europe/Paris.',
  CapacityFallback:
    'EC2 refused cheaper offerings, so the instance costs more than planned: the message has both prices; consolidation replaces it when it can.',
  ClusterCIDRResolutionFailed:
    'The service CIDR of the cluster is unknown, and AL2023 nodes need it: grant eks:DescribeCluster, or set serviceCidr.',
  Conflict:
    'Another NodeOverlay of the same weight sets the same value for the same instance type: change the weight of one of them.',
  ConnectionTracking:
    'The EC2NodeClass sets connectionTracking, which only Nitro instance types support: remove the field or require Nitro types.',
  ConsolidateAfter: 'The node has changed a short time ago: it may be consolidated when consolidateAfter has passed.',
  ConsolidateAfterNever:
    'The NodePool sets consolidateAfter to Never, so its nodes are not consolidated: set a duration to allow it.',
  ConsolidationPolicy:
    'The consolidationPolicy of the NodePool is WhenEmpty and the node has pods: set another policy to allow it.',
  ContradictoryRequirements:
    'The requirements and labels of the NodePool leave no value for a label: remove one of the requirements that exclude each other.',
  CoolDown:
    'Consolidation launched the node or moved one of its workloads a short time ago: wait, or shorten kerf.dev/disruption-cool-down of the NodePool.',
  CreateFleetAuthCheckFailed:
    'Kerf is not permitted to call ec2:CreateFleet: allow it in the IAM policies that apply to its functions.',
  CreateLaunchTemplateAuthCheckFailed:
    'Kerf is not permitted to call ec2:CreateLaunchTemplate: allow it in the IAM policies that apply to its functions.',
  Deleting: 'The NodePool is being deleted and launches no more nodes: use another NodePool.',
  DependenciesNotReady: 'Other conditions of the object are not true yet: see those conditions.',
  DoNotDisrupt:
    'The node or a pod on it has the annotation karpenter.sh/do-not-disrupt: remove the annotation to allow the disruption.',
  Efa: 'The EC2NodeClass asks for EFA interfaces that the instance type does not have: use types with enough EFA interfaces.',
  EmptyTerms:
    'Every term of the required node affinity of the pod is empty, which matches no node: write matchExpressions, or remove the affinity.',
  FailedConsistencyCheck:
    'The node has less than 90 % of a resource of its NodeClaim: compare the instance type with the node, its devices and huge pages.',
  FewTypesOnDemand:
    'No spot offering is available and few instance types are left on demand: allow more instance types in the NodePool.',
  HostPort: 'A DaemonSet uses the host port of the pod on every instance type that would fit: change one of the ports.',
  IamNotReachable:
    'Kerf cannot reach IAM (isolated VPC), so it makes no instance profile for a role: set spec.instanceProfile.',
  InstanceNotTagged:
    'The ownership tags of the instance were removed, so Kerf does not terminate it: add the tags that the message names, or terminate it.',
  InstanceProfileConflict:
    'An instance profile with the managed name exists and does not belong to Kerf: delete it, or set spec.instanceProfile.',
  InstanceProfileNotFound:
    'The instance profile of the EC2NodeClass does not exist: create it, correct its name, or set spec.role.',
  InstanceTwice:
    'Two instances have registered nodes for the same NodeClaim: drain the node that the message names, then terminate its instance.',
  InstanceWithoutRecord:
    'An instance has the tags of the cluster, but no NodeClaim, NodePool or node describes it, or its tag is not the name of a NodeClaim: create its NodePool, correct the tag, or terminate it.',
  InsufficientResources:
    'No instance type of the NodePool is large enough for the pod and the DaemonSets: allow larger types or lower the requests.',
  InvalidAnnotation:
    'An annotation kerf.dev/* of the NodePool has a value that Kerf cannot read: write one that the message names, or remove the annotation.',
  InvalidDoNotDisruptAnnotation:
    'The annotation karpenter.sh/do-not-disrupt of the pod has a value that is ignored: write true or a duration, or remove it.',
  InvalidKubeletConfiguration:
    'A value in spec.kubelet of the EC2NodeClass is not valid: correct the field that the message names.',
  InvalidLabel: 'The pod requires a label that no NodePool can set: change its node selector or node affinity.',
  InvalidQuantity:
    'The pod or the DaemonSet that the message names has an amount that is not a quantity, so it is left out: correct it.',
  KarpenterActive:
    'Karpenter runs in the cluster, so Kerf does nothing: scale Karpenter to 0 replicas, or set shadow for the cluster.',
  KeepsBuffer: 'The node reserves capacity for a CapacityBuffer: lower the buffer to release the node.',
  KeepsPendingPods:
    'Pending pods, or pods of nodes that are being deleted, would get no place or another new node without this node: wait.',
  KubeletExpressionEvaluationFailed:
    'A CEL expression in spec.kubelet gives no valid number for an instance type: correct the expression.',
  KubeletExpressionInvalid: 'A CEL expression in spec.kubelet does not compile: correct the expression.',
  Label:
    'The NodePool has no value for a label that the pod requires: change the NodePool or the node selector of the pod.',
  LabelsMissing:
    'The node lacks a label that consolidation needs to compute its price: add the label that the message names.',
  LaunchCutOff: 'No NodeClaim and no tag identifies the instance: terminate it when no pods run on it.',
  LaunchFailed: 'EC2 refused the launch: correct what the message of EC2 names; Kerf tries again by itself.',
  LaunchesUnused:
    'The kube-scheduler bound the pod to none of the nodes that were launched for it, so the next one waits: see kubectl describe pod.',
  LimitExceeded: 'The next node would exceed spec.limits of the NodePool: raise the limit.',
  MatchFields:
    'The node affinity of the pod uses matchFields, which are unknown before the node exists: use matchExpressions.',
  MaxEvictions:
    'Consolidation has evicted as many pods of a workload in an hour as the NodePool allows: wait, or raise kerf.dev/max-evictions-per-hour.',
  MinValues:
    'Fewer values than minValues would be left for a label: wait for missing capacity, lower minValues or allow more types.',
  MinimumSaving:
    'The move saves less than the NodePool requires: lower kerf.dev/minimum-saving of the NodePool to allow it.',
  MissingCapacityUnknown:
    'The table of missing capacity could not be read, so launches may be refused: see the failures of the run.',
  MultiplePDBs: 'More than one PodDisruptionBudget selects the pod, which blocks eviction: keep one of them.',
  NameTaken:
    'Kerf has a record of a NodeClaim with the same name and another instance: compare the two instances before you delete one.',
  NeedsSeveralNodes:
    'The pods of the node would need several new nodes, and consolidation replaces a node by one at most.',
  NestedVirtualization:
    'The EC2NodeClass enables nested virtualization, which the instance type does not support: use other instance types.',
  NetworkInterfaces:
    'The instance type has fewer network cards or interfaces than spec.networkInterfaces declares: use larger types.',
  NitroEnclaves:
    'The EC2NodeClass enables enclaves, which the instance type does not support: use other instance types.',
  NoAction: 'The EC2 event needs no action.',
  NoCapacity:
    'Most offerings that fit had no capacity a moment ago: Kerf tries again within a minute; allow more types or zones.',
  NoCatalogue: 'Instance types and prices are not loaded yet: wait until the catalogue function has run.',
  NoCompatibleInstanceTypes:
    'No instance type meets the requirements of the NodePool, whatever its pods are: relax the requirement that the message names.',
  NoInstance: 'The NodeClaim has no EC2 instance: delete the NodeClaim.',
  NoInstanceTypes:
    'No instance type meets the requirements of the NodePool and the pod: relax the requirement that the message names.',
  NoNode: 'No existing node fits the pod; the message counts the nodes by cause.',
  NoNodePool: 'The cluster has no NodePool that can launch a node for the pod: create one.',
  NoOffering:
    'No offering of the instance types that fit is available in the allowed zones and capacity types: allow more of them.',
  NoPlace: 'No instance type meets topology rules, limits and minValues at the same time: relax one of them.',
  NoPlaceForPods: 'Pods of the node would be unschedulable without it: the message names one of them and the reason.',
  NodeClassNotFound: 'The EC2NodeClass that the NodePool names does not exist: create it or correct nodeClassRef.',
  NodeClassNotReady: 'The EC2NodeClass is not ready: see its conditions.',
  NodeClassTerminating: 'The EC2NodeClass is being deleted, so nothing is launched with it: use another EC2NodeClass.',
  NodeNotInitialized: 'The node has joined but is not initialized: the message names what is missing.',
  NodePoolNotFound: 'The NodePool of the node does not exist: create it again or delete the NodeClaim.',
  NodePoolNotReady: 'The NodePool is not ready: see its conditions.',
  NodePoolValidationFailed: 'The NodePool is not valid: correct the field that the message names.',
  NodeRepairBlocked:
    'Too many nodes are unhealthy at the same time, so Kerf replaces none of them: find the common cause; Kerf tries again each minute.',
  NodeStarting: 'Pods of the node would move to a node that is not initialized yet: wait.',
  Nominated: 'The node is reserved for pending pods that will be scheduled on it: wait.',
  NotCheaper: 'The pods of the node need a new node that does not cost less than the node.',
  NotEvaluated: 'The pass ended before it evaluated the node, because it had used its steps: a later pass continues.',
  NotRead:
    'Something that the decision needs could not be read: see the failures of the run; Kerf tries again within a minute.',
  OtherDeploymentActive:
    'Another deployment of Kerf holds the cluster, so this one does nothing: remove the cluster from one of them, or set shadow for it.',
  PDB: 'A PodDisruptionBudget allows no disruption now: wait, or change the budget.',
  PDBCountsNoPods:
    'The PodDisruptionBudget counts no pods, because its pods have no controller with replicas, so none of them is evicted: set minAvailable to a number.',
  PDBInUse:
    'Other disruption commands evict as many pods of the PodDisruptionBudget as it allows: the node waits for the end of these commands.',
  PDBNeverMet:
    'The PodDisruptionBudget requires every pod of its workload, so the node drains only at its deadline: change the budget or add replicas.',
  PDBNotComputed:
    'Kubernetes has not computed the status of the PodDisruptionBudget, so no pod of it is evicted: see the conditions of the budget.',
  PersistentVolumeClaimDeleting: 'The PersistentVolumeClaim of the pod is being deleted: create it again afterwards.',
  PersistentVolumeClaimInUse: 'Another pod uses the claim (ReadWriteOncePod): wait until it has ended.',
  PersistentVolumeClaimLost:
    'The PersistentVolumeClaim lost its PersistentVolume: restore the volume or create the claim again.',
  PersistentVolumeClaimMissing: 'The PersistentVolumeClaim of the pod does not exist: create it.',
  PersistentVolumeClaimNotBound:
    'The PersistentVolumeClaim names a PersistentVolume and is not bound to it yet: wait; then compare size, class and access modes.',
  PersistentVolumeClaimOfAnother:
    'The claim of an ephemeral volume belongs to another object: rename the volume of the pod or delete the claim.',
  PersistentVolumeClaimPending:
    'The StorageClass binds volumes before a node exists (Immediate), and the claim is not bound: use WaitForFirstConsumer.',
  PersistentVolumeDeleting: 'The PersistentVolume of the claim is being deleted: create the claim again.',
  PersistentVolumeMissing:
    'No PersistentVolume exists for the claim: restore or create one, or create the claim again.',
  PlacementGroup: 'The instance type cannot run in the placement group: use another strategy or other instance types.',
  PlacementGroupNotFound:
    'The placementGroupSelector of the EC2NodeClass selects no placement group: create it or correct the name or id.',
  PodAffinity: 'No domain meets the required pod affinity: change the affinity term or start the pods that it selects.',
  PodAffinityTerms:
    'No pod is selected by all required affinity terms, as the kube-scheduler requires: change the terms or start such a pod.',
  PodAntiAffinity:
    'Every domain has a pod that the required anti-affinity excludes: allow more domains or change the term.',
  PodTemplateNotFound: 'The PodTemplate of the CapacityBuffer does not exist: create it or correct podTemplateRef.',
  PriceTooHigh:
    'Capacity is missing, and the cheapest node that EC2 still has costs too much: wait, or raise kerf.dev/max-price-factor of the NodePool.',
  RebalanceRecommended:
    'EC2 recommends replacing the spot instance because it may be interrupted: no action is needed.',
  RecordUnreadable:
    'The record of a NodeClaim in the table cannot be read: restore the item that the message names, or delete it after its instance ended.',
  Refused: 'AWS refused a request that the EC2NodeClass needs: grant the permission that the message names.',
  RegistrationFailing:
    'The last instances of the NodePool did not register as nodes, so pods get nodes of other NodePools that can run them, and it is tried again after a pause of 15 minutes to an hour: correct the NodePool, its EC2NodeClass or the image.',
  RejectedBefore:
    'The last command for the node was rejected, although the node had not changed: it is evaluated again after a pause of a minute to an hour, or when its pods, its NodePool or its EC2NodeClass change.',
  ReplacementsFailed:
    'The last nodes that the NodePool launched to replace others were not initialized, so one is tried after each pause of up to an hour: correct the NodePool, its EC2NodeClass or the image, which ends the pause.',
  ReservationExhausted:
    'Only reserved capacity fits, and no instance of it is free: wait, or allow other capacity types.',
  ResolutionFailed:
    'The CapacityBuffer names no object that Kerf can read a pod template from: correct its references.',
  RoleNotFound: 'The IAM role of the EC2NodeClass does not exist: create it or correct spec.role.',
  RunInstancesAuthCheckFailed:
    'Kerf is not permitted to call ec2:RunInstances: allow it in the IAM policies that apply to its functions.',
  RuntimeValidation: 'The NodeOverlay is not valid and has no effect: correct the field that the message names.',
  SameInstanceType: 'The nodes could only be replaced by a node of the type of one of them, so that node stays.',
  SavesLittle:
    'The move saves little for the pods that it evicts, so it waits until no pod has come or gone on its nodes for a time: wait, or set lowScoreWaits to false.',
  ScalableRefNotFound: 'The workload of the CapacityBuffer does not exist: create it or correct scalableRef.',
  SecurityGroupsNotFound: 'The securityGroupSelectorTerms select no security group: correct the tags, ids or names.',
  SpotToSpotDisabled:
    'The pods of a spot node need a new spot node: set spotToSpotConsolidation to replace spot nodes by cheaper ones.',
  SpotToSpotNeedsTypes:
    'Too few instance types that may be launched cost less than the spot node: allow more in the NodePool, or raise kerf.dev/max-price-factor.',
  StandaloneNotSupported:
    'The NodeClaim belongs to no NodePool, and Kerf does not manage these: create a NodePool and delete the NodeClaim.',
  StaticCapacity:
    'The NodePool sets spec.replicas, so it launches no nodes for pods, and its nodes are not consolidated: change replicas to add or remove nodes.',
  StaticCapacityNotSupported:
    'The NodePool sets spec.replicas, and the feature gate staticCapacity is off: turn it on, or use a NodePool without replicas.',
  StoodDown: 'EC2 interrupts an instance while another autoscaler is active in the cluster, so Kerf does nothing.',
  StorageClassMissing: 'The StorageClass of the claim does not exist: create it or name another one.',
  StorageClassUnset:
    'The claim is not bound and has no StorageClass: set storageClassName or mark a class as the default; a claim with "" needs a volume that exists.',
  StorageUnknown: 'The pod uses a PersistentVolumeClaim and storage objects were not read: add them to the snapshot.',
  SubnetsNotFound: 'The subnetSelectorTerms of the EC2NodeClass select no subnet: correct the tags or ids.',
  TagValidationFailed: 'A tag of the EC2NodeClass is empty or reserved for Kerf: use another key.',
  Taint: 'The pod does not tolerate a taint of the NodePool: add a toleration or use another NodePool.',
  TerminationRefused:
    'EC2 refuses to terminate the instance: remove its termination protection, or allow ec2:TerminateInstances; Kerf tries again by itself.',
  TooManyReplicas:
    'All CapacityBuffers together ask for more pods than Kerf can plan for: lower replicas or set limits.',
  TooManyVolumeAlternatives:
    'The volumes of the pod can be placed in too many ways: allow fewer topologies in their StorageClasses.',
  TooManyVolumes:
    'The pod has more volumes than a node of the NodePool attaches: allow instance types that attach more, or use fewer volumes.',
  TopologySpread: 'No domain keeps the required topology spread: allow more domains or raise maxSkew.',
  UnprovenAutoscaler:
    'An object names Karpenter, but a user of one namespace could have created it, so Kerf continues: delete the object, or add its namespace to karpenterNamespaces.',
  UnreadableUserData:
    'Kerf cannot merge the userData of the EC2NodeClass with its own: correct the format of the AMI family.',
  UnregisteredTaintMissing:
    'The node joined without the taint karpenter.sh/unregistered: register the kubelet with this taint.',
  Unsupported: 'The object uses a feature that Kerf does not support yet: the message names the field to remove.',
  UnsupportedKubeletConfiguration: 'The AMI family ignores a field of spec.kubelet: remove the field.',
  UnsupportedKubernetesVersion:
    'AWS makes no image of this alias for the Kubernetes version of the cluster: use another alias.',
  UnsupportedProvisioner:
    'The volume driver works on nodes of EKS Auto Mode only: use a StorageClass of ebs.csi.aws.com.',
  UnsupportedTopologyKey:
    'The StorageClass requires a label that only nodes of EKS Auto Mode have: use a StorageClass of ebs.csi.aws.com.',
  UserDataSizeLimitExceeded:
    'The user data of the node is larger than EC2 accepts: shorten userData, labels or taints.',
  VolumeUnreachable:
    'No new node can reach the volume: correct the nodeAffinity of the volume or the topologies of its class.',
  VolumesApart:
    'No node can reach all volumes of the pod because they are in different places: move one volume or split the pod.',
  VolumesUnknown:
    'Kerf could not list VolumeAttachments, so it did not wait until volumes were detached: if the list is forbidden, install the ClusterRole of this version; otherwise find the cause of the error in the message.',
  WaitingOnNodeClaimTermination:
    'NodeClaims still use the EC2NodeClass that is being deleted: it is released when they are gone.',
  WaitsAtZero:
    'The pod is listed in ignoreAtZero and nothing else needs a node: it is scheduled with the first other pod.',
  ZonalShift: 'The cluster is shifted away from the zone of the node: Kerf continues when the shift ends.',
  ZonalShiftUnknown:
    'The zonal shifts of the cluster could not be read, so Kerf assumes that there are none: see the message.',
};

/** What a reason means and what to do. A record may have a reason of a newer version of Kerf. */
export function adviceFor(reason: Reason): string {
  return Object.hasOwn(REASONS, reason)
    ? REASONS[reason]
    : 'Another version of Kerf has this reason: look it up in the documentation of that version.';
}
