import type { RuleOf } from '../rule.ts';
import { onlyPortsFail, webhookAllows } from './answers.ts';
import { budgetsHold } from './budgets.ts';
import { callsAreFew } from './calls.ts';
import { transitionTimesAreTrue } from './conditions.ts';
import { emptyNodesAreRemoved } from './consolidation.ts';
import { decisionsAreCarriedOut, outdatedDecisionsDeleteNothing } from './decisions.ts';
import { replacementsAreAwaited } from './disruption/awaited-replacements.ts';
import { consolidationSaves } from './disruption/cheaper-moves.ts';
import { movesAreLimited } from './disruption/move-limits.ts';
import {
  endedCommandsStayEnded,
  replacedNodesStayUntilThen,
  replacementsFollowTheirCommand,
  taintsHaveAReason,
} from './disruption/replacements.ts';
import { drainsAreOrdered } from './drain-order.ts';
import { instancesEndForAReason, podsAreEvicted } from './drains.ts';
import { othersAreLeftAlone } from './foreign.ts';
import {
  everyInstanceHasARecord,
  launchesAreAdmitted,
  noPodBuysNodes,
  oneClaimForAnInstance,
  oneInstanceForAClaim,
  releasedAfterItsInstance,
} from './launches.ts';
import { attemptsAreApart } from './launching/attempts.ts';
import { plannedPodsAreNominated } from './launching/nominations.ts';
import { limitsHold } from './limits.ts';
import { nodesHaveRoomForDaemons } from './marks/daemons.ts';
import { driftHasACause, editsCauseDrift } from './marks/drift.ts';
import { joinedNodesAreComplete } from './marks/joined.ts';
import { marksGrow } from './marks/mark-times.ts';
import { missingCapacityIsRemembered } from './marks/missing-capacity.ts';
import { marksOfOthersStay } from './marks/of-others.ts';
import { marksNameTheirOffering } from './marks/offerings.ts';
import { newNodesAreCheap } from './marks/prices.ts';
import { claimsFollowTheirNodePool } from './marks/templates.ts';
import { heaviestPoolsComeFirst } from './marks/weights.ts';
import {
  lossesAreShown,
  objectsHaveTheirFinalizer,
  objectsHaveTheirOwner,
  refusalsAreShown,
  removedObjectsStayRemoved,
  whatIsShownIsTrue,
} from './mirrors.ts';
import { pendingPodsAreServed } from './pending.ts';
import { commandsEnd, undisturbedWorkProgresses } from './progress/progress.ts';
import { conflictsAreRepeated, failedRunsAreRepeated } from './progress/repeated-runs.ts';
import { writtenClaimsWake } from './progress/wakes.ts';
import { recordsGoForward } from './records.ts';
import { deletedObjectsAreRemoved } from './removals/deleted-objects.ts';
import { emptyNodesHaveTheirTime } from './removals/empty-nodes.ts';
import { impairedInstancesAreReplaced } from './removals/impaired.ts';
import { lateMembersAreNotAdopted, leakedInstancesEnd } from './removals/leaks.ts';
import { keptPodsStay, startupTaintsAreAwaited, volumesAreDetached } from './removals/order.ts';
import { deletionsAreTrue } from './removals/reasons.ts';
import { repairsAreLimited } from './removals/repairs.ts';
import { warningsAreHandled } from './removals/warnings.ts';
import { failuresAreReportedOnce, oneObjectEndsNoRun, refusalsAreReported } from './reports/once.ts';
import { poolsShowTheirNodes } from './reports/pool-status.ts';
import { everythingSettles } from './settled.ts';
import { oneDeploymentActs, standbyDoesNothing } from './standby.ts';
import { adoptedClaimsAreKept } from './table/adoptions.ts';
import { recordsAreTrue } from './table/true-records.ts';
import { decisionsHaveTheirEpoch, leasesHaveOneHolder } from './table/turns.ts';
import { deletionsWaitForTheirTime, timesAreKept } from './times.ts';

/** Everything that must hold in every run. */
export const RULES: readonly RuleOf[] = [
  recordsGoForward,
  recordsAreTrue,
  adoptedClaimsAreKept,
  launchesAreAdmitted,
  oneInstanceForAClaim,
  oneClaimForAnInstance,
  everyInstanceHasARecord,
  releasedAfterItsInstance,
  noPodBuysNodes,
  limitsHold,
  newNodesAreCheap,
  decisionsAreCarriedOut,
  outdatedDecisionsDeleteNothing,
  podsAreEvicted,
  instancesEndForAReason,
  budgetsHold,
  transitionTimesAreTrue,
  othersAreLeftAlone,
  everythingSettles,
  webhookAllows,
  onlyPortsFail,
  standbyDoesNothing,
  oneDeploymentActs,
  callsAreFew,
  undisturbedWorkProgresses,
  commandsEnd,
  replacementsAreAwaited,
  drainsAreOrdered,
  marksNameTheirOffering,
  missingCapacityIsRemembered,
  marksGrow,
  impairedInstancesAreReplaced,
  marksOfOthersStay,
  joinedNodesAreComplete,
  poolsShowTheirNodes,
  timesAreKept,
  deletionsWaitForTheirTime,
  pendingPodsAreServed,
  plannedPodsAreNominated,
  emptyNodesAreRemoved,
  emptyNodesHaveTheirTime,
  movesAreLimited,
  consolidationSaves,
  whatIsShownIsTrue,
  lossesAreShown,
  refusalsAreShown,
  removedObjectsStayRemoved,
  objectsHaveTheirFinalizer,
  objectsHaveTheirOwner,
  heaviestPoolsComeFirst,
  nodesHaveRoomForDaemons,
  deletionsAreTrue,
  deletedObjectsAreRemoved,
  leakedInstancesEnd,
  lateMembersAreNotAdopted,
  keptPodsStay,
  volumesAreDetached,
  startupTaintsAreAwaited,
  warningsAreHandled,
  decisionsHaveTheirEpoch,
  leasesHaveOneHolder,
  failuresAreReportedOnce,
  oneObjectEndsNoRun,
  refusalsAreReported,
  claimsFollowTheirNodePool,
  driftHasACause,
  editsCauseDrift,
  repairsAreLimited,
  replacedNodesStayUntilThen,
  taintsHaveAReason,
  endedCommandsStayEnded,
  replacementsFollowTheirCommand,
  attemptsAreApart,
  failedRunsAreRepeated,
  conflictsAreRepeated,
  writtenClaimsWake,
];
