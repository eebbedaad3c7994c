/**
 * The fields of KubeletConfiguration v1beta1 in Kubernetes 1.37, which Karpenter 1.15 uses to decode `spec.kubelet` (A3.16).
 */

type Leaf =
  | 'text'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'number'
  | 'duration'
  | 'duration-or-null'
  | 'duration-or-nanoseconds'
  | 'quantity'
  | 'anything';

export type KubeletFieldShape =
  | Leaf
  | { readonly kind: 'list'; readonly items: KubeletFieldShape }
  | { readonly kind: 'map'; readonly values: KubeletFieldShape }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, KubeletFieldShape>> };

function list(items: KubeletFieldShape): KubeletFieldShape {
  return { kind: 'list', items };
}

function map(values: KubeletFieldShape): KubeletFieldShape {
  return { kind: 'map', values };
}

function object(fields: Readonly<Record<string, KubeletFieldShape>>): KubeletFieldShape {
  return { kind: 'object', fields };
}

function each(names: string, shape: KubeletFieldShape): Readonly<Record<string, KubeletFieldShape>> {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, shape]),
  );
}

const LOG_OUTPUT = object({ splitStream: 'boolean', infoBufferSize: 'quantity' });

const NESTED: Readonly<Record<string, KubeletFieldShape>> = {
  authentication: object({
    x509: object({ clientCAFile: 'text' }),
    webhook: object({ enabled: 'boolean', cacheTTL: 'duration' }),
    anonymous: object({ enabled: 'boolean' }),
  }),
  authorization: object({
    mode: 'text',
    webhook: object({ cacheAuthorizedTTL: 'duration', cacheUnauthorizedTTL: 'duration' }),
  }),
  crashLoopBackOff: object({ maxContainerRestartPeriod: 'duration-or-null' }),
  logging: object({
    format: 'text',
    flushFrequency: 'duration-or-nanoseconds',
    verbosity: 'uint32',
    vmodule: list(object({ filePattern: 'text', verbosity: 'uint32' })),
    options: object({ text: LOG_OUTPUT, json: LOG_OUTPUT }),
  }),
  memorySwap: object({ swapBehavior: 'text' }),
  reservedMemory: list(object({ numaNode: 'int32', limits: map('quantity') })),
  shutdownGracePeriodByPodPriority: list(object({ priority: 'int32', shutdownGracePeriodSeconds: 'int64' })),
  tracing: object({ endpoint: 'text', samplingRatePerMillion: 'int32' }),
  userNamespaces: object({ idsPerPod: 'int64' }),
};

export const KUBELET_FIELDS: Readonly<Record<string, KubeletFieldShape>> = {
  ...each(
    `apiVersion kind staticPodPath podLogsDir staticPodURL address tlsCertFile tlsPrivateKeyFile tlsMinVersion
    imagePullCredentialsVerificationPolicy healthzBindAddress clusterDomain kubeletCgroups systemCgroups cgroupRoot
    cgroupDriver cpuManagerPolicy memoryManagerPolicy topologyManagerPolicy topologyManagerScope hairpinMode podCIDR
    resolvConf contentType containerLogMaxSize configMapAndSecretChangeDetectionStrategy reservedSystemCPUs
    showHiddenMetricsForVersion systemReservedCgroup kubeReservedCgroup volumePluginDir providerID
    memoryReservationPolicy containerRuntimeEndpoint imageServiceEndpoint`,
    'text',
  ),
  ...each(
    `enableServer rotateCertificates serverTLSBootstrap enableDebuggingHandlers enableContentionProfiling cgroupsPerQOS
    singleProcessOOMKill runOnce cpuCFSQuota serializeImagePulls mergeDefaultEvictionSettings
    enableControllerAttachDetach protectKernelDefaults makeIPTablesUtilChains failSwapOn kernelMemcgNotification
    enableSystemLogHandler enableSystemLogQuery enableProfilingHandler enableDebugFlagsHandler seccompDefault
    registerNode localStorageCapacityIsolation failCgroupV1`,
    'boolean',
  ),
  ...each(
    `port readOnlyPort registryPullQPS registryBurst eventRecordQPS eventBurst healthzPort oomScoreAdj
    nodeLeaseDurationSeconds imageGCHighThresholdPercent imageGCLowThresholdPercent maxPods nodeStatusMaxImages
    kubeAPIQPS kubeAPIBurst maxParallelImagePulls evictionMaxPodGracePeriod podsPerCore iptablesMasqueradeBit
    iptablesDropBit containerLogMaxFiles containerLogMaxWorkers`,
    'int32',
  ),
  ...each('podPidsLimit maxOpenFiles', 'int64'),
  memoryThrottlingFactor: 'number',
  ...each(
    `syncFrequency fileCheckFrequency httpCheckFrequency streamingConnectionIdleTimeout nodeStatusUpdateFrequency
    nodeStatusReportFrequency imageMinimumGCAge imageMaximumGCAge volumeStatsAggPeriod cpuManagerReconcilePeriod
    runtimeRequestTimeout cpuCFSQuotaPeriod evictionPressureTransitionPeriod containerLogMonitorInterval
    shutdownGracePeriod shutdownGracePeriodCriticalPods`,
    'duration',
  ),
  ...each(
    `tlsCipherSuites preloadedImagesVerificationAllowlist clusterDNS enforceNodeAllocatable allowedUnsafeSysctls`,
    list('text'),
  ),
  tlsCurvePreferences: list('int32'),
  ...each(
    `cpuManagerPolicyOptions topologyManagerPolicyOptions qosReserved evictionHard evictionSoft evictionSoftGracePeriod
    evictionMinimumReclaim defaultPodSysctls systemReserved kubeReserved`,
    map('text'),
  ),
  featureGates: map('boolean'),
  staticPodURLHeader: map(list('text')),
  ...NESTED,
  /** Rejected with any value. */
  registerWithTaints: 'anything',
};
